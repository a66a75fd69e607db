package web

import (
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"mcp-askuser/ui/words"
)

// html returns the page of a refusal.
func (x refusal) html(l words.Language) g.Node {
	next := h.A(h.Class("button"), h.Href("/"), say(l, "To the questions"))
	if x.Command != "" {
		next = h.A(h.Class("button"), h.Href(""), say(l, "Try again"))
	}
	return alone(l, x.Title, x.Title, nil,
		h.P(g.Text(x.Words)), g.If(x.Command != "", h.Pre(h.Code(g.Text(x.Command)))), h.P(next))
}
