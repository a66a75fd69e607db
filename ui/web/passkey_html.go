package web

import (
	"encoding/json"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"mcp-askuser/desk/proof"
	"mcp-askuser/ui/words"
)

// allowed returns passkeys as the browser's credential functions take them.
func allowed(keys []proof.Passkey) []map[string]string {
	out := []map[string]string{}
	for _, key := range keys {
		out = append(out, map[string]string{"type": "public-key", "id": key.ID})
	}
	return out
}

// registration returns the page on which a passkey is registered, beside the page's others.
func registration(l words.Language, challenge, name string, others []proof.Passkey) g.Node {
	keys, _ := json.Marshal(allowed(others)) // which has no value that JSON lacks
	title := l.T("New passkey")
	return alone(l, title, title, g.Group{h.Script(h.Src("/assets/passkey.js"), h.Defer())},
		h.P(say(l, "A passkey signs your answers to questions that need proof: with your fingerprint, your face, "+
			"a PIN or a security key. Its private part never leaves your device.")),
		h.Form(h.Method("post"), h.Action("/passkey"), h.Data("challenge", challenge),
			h.Data("declined", l.T("No passkey was made. Try again.")), h.Data("keys", string(keys)),
			h.Label(h.For("name"), say(l, "Name of the passkey")),
			h.Input(h.Type("text"), h.ID("name"), h.Name("name"), h.Value(name), h.MaxLength("64"), h.Required()),
			h.P(h.Class("fault"), h.Role("alert")),
			h.P(h.Button(h.Type("submit"), h.Class("main"), say(l, "Register"))),
		),
		h.NoScript(h.P(say(l, "Passkeys need scripts, which are off: switch them on, and reload the page."))),
	)
}
