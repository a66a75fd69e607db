package wire

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/invopop/jsonschema"

	"mcp-askuser/question"
)

//go:generate go test -run TestSchemasAreFresh -update .
//go:generate go run ../../../cmd/mcp-askuser schema --output ../../../schema.json

// published are the schemas for the default limits, as schema_test.go makes
// them: to reflect on types takes longer than all the rest of starting a server.
//
//go:embed schemas.json
var published []byte

// Published are the schemas of the three tools, of their arguments and of
// their results.
type Published struct {
	Ask           json.RawMessage `json:"ask_user_question"`
	AskResult     json.RawMessage `json:"ask_user_question result"`
	Confirm       json.RawMessage `json:"confirm_action"`
	ConfirmResult json.RawMessage `json:"confirm_action result"`
	Await         json.RawMessage `json:"await_answer"`
	AwaitResult   json.RawMessage `json:"await_answer result"`
}

// Schemas returns what is published under these limits.
func Schemas(l question.Limits) Published {
	var out Published
	if err := json.Unmarshal(published, &out); err != nil { // the file is compiled in
		panic(err)
	}
	moved := question.DefaultLimits()
	moved.Lenient = l.Lenient
	if l != moved {
		out.Ask = AskSchema(l)
	}
	return out
}

// The published arguments. They are written for models: what else [DecodeAsk]
// understands is not published. The follow-ups are unrolled two levels deep,
// because clients of some models know no references (FACTS 6).

type askArguments struct {
	Questions []askQuestion     `json:"questions" jsonschema:"required,minItems=1"`
	Metadata  map[string]any    `json:"metadata,omitempty"`
	Answers   map[string]string `json:"answers,omitempty" jsonschema_description:"Already known; not asked"`
	Timeout   int               `json:"timeout_seconds,omitempty"`
	OnTimeout string            `json:"on_timeout,omitempty" jsonschema:"enum=none,enum=default"`
	Session   string            `json:"session_id,omitempty" jsonschema_description:"Continues this session"`
}

type askQuestion struct {
	Question    string                `json:"question" jsonschema:"required,minLength=1"`
	Header      string                `json:"header,omitempty"`
	Options     []askOption           `json:"options,omitempty" jsonschema:"minItems=2"`
	MultiSelect bool                  `json:"multiSelect,omitempty"`
	Type        question.Type         `json:"type,omitempty"`
	ID          string                `json:"question_id,omitempty"`
	Required    bool                  `json:"required,omitempty" jsonschema:"default=true"`
	AllowCustom bool                  `json:"allow_custom,omitempty" jsonschema:"default=true"`
	Default     string                `json:"default,omitempty"`
	Placeholder string                `json:"placeholder,omitempty"`
	FollowUps   map[string][]followUp `json:"follow_up_questions,omitempty" jsonschema_description:"By option label: asked only if chosen"`
}

type askOption struct {
	Label       string `json:"label" jsonschema:"required,minLength=1"`
	Description string `json:"description,omitempty"`
	ID          string `json:"id,omitempty"`
	Default     bool   `json:"default,omitempty"`
	Preview     string `json:"preview,omitempty"`
}

// A follow-up is a question like any other; the schema names what most need.

type followUp struct {
	lastFollowUp
	FollowUps map[string][]lastFollowUp `json:"follow_up_questions,omitempty"`
}

type lastFollowUp struct {
	Question    string           `json:"question" jsonschema:"required"`
	Header      string           `json:"header,omitempty"`
	Options     []followUpOption `json:"options,omitempty" jsonschema:"minItems=2"`
	MultiSelect bool             `json:"multiSelect,omitempty"`
	Type        question.Type    `json:"type,omitempty"`
}

type followUpOption struct {
	Label       string `json:"label" jsonschema:"required"`
	Description string `json:"description,omitempty"`
}

// AskSchema returns the published input schema of ask_user_question, moved by
// the limits (A7).
func AskSchema(l question.Limits) json.RawMessage {
	s := typeSchema(&askArguments{})
	complete(s)
	publish(s, l)
	return marshal(s)
}

// publish writes the limits into the schema of a set, and says once what a
// field is for.
func publish(s *jsonschema.Schema, l question.Limits) {
	questions := property(s, "questions")
	questions.MaxItems = new(uint64(l.Questions))
	for level := questions.Items; ; {
		options := property(level, "options")
		options.MaxItems = new(uint64(l.Options))
		if level == questions.Items {
			property(level, "question").MaxLength = new(uint64(l.Question))
			for _, t := range question.Types() {
				property(level, "type").Enum = append(property(level, "type").Enum, t)
			}
			property(level, "header").Description = fmt.Sprintf("Short label, at most %d characters", l.Header)
			property(options.Items, "label").Description = "1-5 words"
			property(options.Items, "description").Description = "What it means"
			property(options.Items, "preview").Description = "Preformatted, for comparison"
		}
		below := property(level, "follow_up_questions")
		if below == nil {
			return
		}
		below.AdditionalProperties.MaxItems = new(uint64(l.Questions))
		level = below.AdditionalProperties.Items
	}
}

// property returns a member's schema, or nil.
func property(s *jsonschema.Schema, name string) *jsonschema.Schema {
	p, _ := s.Properties.Get(name)
	return p
}

// typeSchema returns the schema of a struct without references and without a
// version, open to further members.
func typeSchema(v any) *jsonschema.Schema {
	r := jsonschema.Reflector{
		Anonymous:                  true,
		DoNotReference:             true,
		ExpandedStruct:             true,
		AllowAdditionalProperties:  true,
		RequiredFromJSONSchemaTags: true,
	}
	s := r.Reflect(v)
	s.Version = ""
	return s
}

// complete gives every object its properties, if none: some models' validators
// refuse an object without (FACTS 6).
func complete(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Type == "object" && s.Properties == nil {
		s.Properties = jsonschema.NewProperties()
	}
	complete(s.Items)
	complete(s.AdditionalProperties)
	if s.Properties != nil {
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			complete(p.Value)
		}
	}
}

func marshal(s *jsonschema.Schema) json.RawMessage {
	data, err := json.Marshal(s)
	if err != nil { // a schema of ours has no reason to fail
		panic(err)
	}
	return data
}
