package wire

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/tailscale/hujson"

	"mcp-askuser/question"
)

//go:generate go run ./genschema

// published holds the schemas for the default limits. They are generated ahead:
// reflection on the types takes longer than the rest of a server's start.
//
//go:embed schemas.json
var published []byte

// Published holds the schemas of the three tools: of their arguments and of
// their results.
type Published struct {
	Ask           json.RawMessage `json:"ask_user_question"`
	AskResult     json.RawMessage `json:"ask_user_question result"`
	Confirm       json.RawMessage `json:"confirm_action"`
	ConfirmResult json.RawMessage `json:"confirm_action result"`
	Await         json.RawMessage `json:"await_answer"`
	AwaitResult   json.RawMessage `json:"await_answer result"`
}

// Schemas returns the published schemas for these limits.
func Schemas(l question.Limits) Published {
	var p Published
	if err := json.Unmarshal(published, &p); err != nil { // the file is compiled in
		panic(err)
	}
	p.Ask = WithLimits(p.Ask, l)
	return p
}

// AddTemplates publishes the arguments that ask the questions of a template. The names are
// those of the templates, separated by commas.
func (p *Published) AddTemplates(names string) {
	type object map[string]any
	list := question.Shorten(names, 200) // the project of a client may have others
	p.Ask = patched(p.Ask,
		change{"add", "/properties/template", object{
			"type": "string", "description": "Ask a template's questions instead: " + list}},
		change{"add", "/properties/variables", object{
			"type": "object", "description": "Values of the template's variables",
			"properties": object{}, "additionalProperties": object{"type": "string"}}},
		change{"remove", "/required", nil})
}

// WithLimits returns the schema of ask_user_question's arguments with these limits.
func WithLimits(ask json.RawMessage, l question.Limits) json.RawMessage {
	const properties = "/properties/questions/items/properties"
	return patched(ask,
		change{"add", "/properties/questions/maxItems", l.Questions},
		change{"add", properties + "/question/maxLength", l.Question},
		change{"add", properties + "/header/description", fmt.Sprintf("Short label, at most %d characters", l.Header)},
		change{"add", properties + "/options/maxItems", l.Options})
}

// change is an operation of a JSON patch (RFC 6902).
type change struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// patched returns a published schema with changes that fit it, as both are compiled in.
func patched(schema json.RawMessage, changes ...change) json.RawMessage {
	v, err := hujson.Parse(schema)
	var patch []byte
	if err == nil {
		patch, err = json.Marshal(changes)
	}
	if err == nil {
		err = v.Patch(patch)
	}
	if err != nil {
		panic(err)
	}
	return v.Pack()
}
