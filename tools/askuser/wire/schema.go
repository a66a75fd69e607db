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
	var ask jsonschema.Schema
	err := json.Unmarshal(p.Ask, &ask)
	if err == nil {
		SetLimits(&ask, l)
		p.Ask, err = json.Marshal(&ask)
	}
	if err != nil { // so is the schema
		panic(err)
	}
	return p
}

// SetLimits sets the limits in the schema of ask_user_question's arguments, at
// every level of follow-ups.
func SetLimits(ask *jsonschema.Schema, l question.Limits) {
	questions := property(ask, "questions")
	property(questions.Items, "question").MaxLength = limit(l.Question)
	property(questions.Items, "header").Description = fmt.Sprintf("Short label, at most %d characters", l.Header)
	for list := questions; list != nil; {
		list.MaxItems = limit(l.Questions)
		property(list.Items, "options").MaxItems = limit(l.Options)
		followUps := property(list.Items, "follow_up_questions")
		if list = nil; followUps != nil {
			list = followUps.AdditionalProperties
		}
	}
}

func limit(n int) *uint64 { return new(uint64(n)) }

// property returns the schema of a member, or nil.
func property(s *jsonschema.Schema, name string) *jsonschema.Schema {
	p, _ := s.Properties.Get(name)
	return p
}

// JSONSchema implements jsonschema's interface for types with their own JSON.
func (anyResponse) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Extras: map[string]any{"type": []string{"string", "array", "boolean", "null"}}}
}

// JSONSchema leaves out the members, id and label: each byte costs the user's context.
func (Selected) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

// JSONSchema leaves out the members: kind, how and name.
func (Answerer) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

// JSONSchema describes an object of strings.
func (ordered) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}}
}
