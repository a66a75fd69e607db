package web

import (
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// elements returns a text of ours that has elements in it, in a language, filled with args.
func elements(l words.Language, text string, args ...g.Node) g.Node {
	var filled []any
	for _, arg := range args {
		filled = append(filled, arg)
	}
	return g.Raw(l.T(text, filled...))
}

// say returns a text of ours in a language, filled with args as words.Language.T does.
func say(l words.Language, text string, args ...any) g.Node { return g.Text(l.T(text, args...)) }

// line returns a text from outside on one line, lines one with its line breaks.
func line(text string) g.Node  { return g.Text(question.Line(text)) }
func lines(text string) g.Node { return g.Text(question.Block(text)) }

// withText returns an element with a text, nil where that is empty.
func withText(element func(...g.Node) g.Node, text string, attributes ...g.Node) g.Node {
	return g.If(text != "", element(g.Group(attributes), g.Text(text)))
}

// space is the blank between two elements of one line.
var space = g.Text(" ") //nolint:gochecknoglobals // never written to

// clock returns a time with its date.
func clock(l words.Language, t time.Time) g.Node { return stamp(t, l.T("2 Jan 2006, 15:04")) }

// at returns a time; one of today is without its date.
func at(l words.Language, t time.Time) g.Node {
	if t.Local().Format(time.DateOnly) == time.Now().Format(time.DateOnly) {
		return stamp(t, "15:04")
	}
	return clock(l, t)
}

func stamp(t time.Time, layout string) g.Node {
	return h.Time(h.DateTime(t.UTC().Format(time.RFC3339)), g.Text(t.Local().Format(layout)))
}

// hidden returns an input element of the type hidden.
func hidden(name, value string) g.Node {
	return h.Input(h.Type("hidden"), h.Name(name), h.Value(value))
}

// icon returns the picture of this program.
func icon(size string) g.Node {
	return h.Img(h.Src("/assets/favicon.svg"), h.Alt(""), h.Width(size), h.Height(size))
}

// webPage returns an HTML document; head and body are the children of the elements of these names.
func webPage(l words.Language, title string, head g.Group, body ...g.Node) g.Node {
	return h.Doctype(h.HTML(h.Lang(string(l)), h.Dir("ltr"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.TitleEl(g.Text(title)),
			h.Link(h.Rel("icon"), h.Href("/assets/favicon.svg"), h.Type("image/svg+xml")),
			h.Link(h.Rel("stylesheet"), h.Href("/assets/page.css")),
			head,
		),
		h.Body(body...),
	))
}

// alone returns a document with a heading and no list of questions.
func alone(l words.Language, title, heading string, head g.Group, content ...g.Node) g.Node {
	head = append(head, h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")))
	return webPage(l, title+" · mcp-askuser", head, h.Class("alone"),
		h.Main(h.ID("none"), icon("56"), h.H1(g.Text(heading)), g.Group(content)))
}
