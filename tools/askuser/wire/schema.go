package wire

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/invopop/jsonschema"

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
	d := question.DefaultLimits()
	if l.Questions == d.Questions && l.Options == d.Options && l.Question == d.Question && l.Header == d.Header {
		return p
	}
	p.editAsk(func(ask *jsonschema.Schema) { SetLimits(ask, l) })
	return p
}

// AddTemplates publishes the arguments that ask the questions of a template. The names are
// those of the templates, separated by commas.
func (p *Published) AddTemplates(names string) {
	p.editAsk(func(ask *jsonschema.Schema) {
		list := question.Shorten(names, 200) // the project of a client may have others
		ask.Properties.Set("template", &jsonschema.Schema{Type: "string",
			Description: "Ask a template's questions instead: " + list})
		ask.Properties.Set("variables", &jsonschema.Schema{
			Type: "object", Description: "Values of the template's variables",
			Properties: jsonschema.NewProperties(), AdditionalProperties: &jsonschema.Schema{Type: "string"},
		})
		ask.Required = nil
	})
}

func (p *Published) editAsk(edit func(*jsonschema.Schema)) {
	var ask jsonschema.Schema
	err := json.Unmarshal(p.Ask, &ask)
	if err == nil {
		edit(&ask)
		p.Ask, err = json.Marshal(&ask)
	}
	if err != nil { // the schema is compiled in
		panic(err)
	}
}

// SetLimits sets the limits in the schema of ask_user_question's arguments.
func SetLimits(ask *jsonschema.Schema, l question.Limits) {
	questions := property(ask, "questions")
	questions.MaxItems = limit(l.Questions)
	property(questions.Items, "question").MaxLength = limit(l.Question)
	property(questions.Items, "header").Description = fmt.Sprintf("Short label, at most %d characters", l.Header)
	property(questions.Items, "options").MaxItems = limit(l.Options)
}

func limit(n int) *uint64 { return new(uint64(n)) }

// property returns the schema of a member, or nil.
func property(s *jsonschema.Schema, name string) *jsonschema.Schema {
	p, _ := s.Properties.Get(name)
	return p
}

// JSONSchema describes an object with any values.
func (ordered) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }
