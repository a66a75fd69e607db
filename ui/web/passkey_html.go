package web

import (
	"encoding/json"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"mcp-askuser/ui/words"
)

// allowed returns the passkeys of the page as the browser's credential functions take them.
func (c ceremony) allowed() []map[string]string {
	out := []map[string]string{}
	for _, key := range c.Keys {
		out = append(out, map[string]string{"type": "public-key", "id": key.ID})
	}
	return out
}

// sign returns what a passkey is to sign, for the script.
func (c ceremony) sign(words.Language) g.Node {
	options, _ := json.Marshal(map[string]any{
		"challenge": c.Challenge, "userVerification": "required", "allowCredentials": c.allowed(),
	})
	return h.Div(h.ID("none"), h.P(h.Data("sign", string(options)), h.Data("at", c.At), g.Text(c.Words)))
}

// register returns the page on which a passkey is registered.
func (c ceremony) register(l words.Language) g.Node {
	keys, _ := json.Marshal(c.allowed())
	title := l.T("New passkey")
	return alone(l, title, title, g.Group{h.Script(h.Src("/assets/passkey.js"), h.Defer())},
		h.P(say(l, "A passkey signs your answers to questions that need proof: with your fingerprint, your face, "+
			"a PIN or a security key. Its private part never leaves your device.")),
		h.Form(h.Method("post"), h.Action("/passkey"), h.Data("challenge", c.Challenge),
			h.Data("declined", l.T("No passkey was made. Try again.")), h.Data("keys", string(keys)),
			h.Label(h.For("name"), say(l, "Name of the passkey")),
			h.Input(h.Type("text"), h.ID("name"), h.Name("name"), h.Value(c.Name), h.MaxLength("64"), h.Required()),
			h.P(h.Class("fault"), h.Role("alert")),
			h.P(h.Button(h.Type("submit"), h.Class("main"), say(l, "Register"))),
		),
		h.NoScript(h.P(say(l, "Passkeys need scripts, which are off: switch them on, and reload the page."))),
	)
}

// registered returns the page that follows.
func (c ceremony) registered(l words.Language) g.Node {
	return alone(l, l.T("New passkey"), l.T("The passkey %s is registered", c.Name), nil,
		h.P(say(l, "You can close this page.")))
}
