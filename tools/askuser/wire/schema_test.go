package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"mcp-askuser/desk"
	"mcp-askuser/internal/golden"
	"mcp-askuser/question"
)

// What follows makes schemas.json.

// reflected makes what published holds.
func reflected() Published {
	return Published{
		Ask:           askSchema(),
		AskResult:     schemaOf(&Result{}),
		Confirm:       schemaOf(&confirmArguments{}),
		ConfirmResult: schemaOf(&confirmResult{}),
		Await:         schemaOf(&awaitArguments{}),
		AwaitResult:   schemaOf(&awaitResult{}),
	}
}

type confirmArguments struct {
	Action  string `json:"action" jsonschema:"required,minLength=1"`
	Details string `json:"details,omitempty"`
	Default bool   `json:"default,omitempty"`
}

type awaitArguments struct {
	ID string `json:"id" jsonschema:"required"`
}

// schemaOf returns the schema of v's type.
func schemaOf(v any) json.RawMessage { return marshal(typeSchema(v)) }

// What is published of the results of the other two tools. They have all
// members of [Result]; every byte costs the user's context.

type confirmResult struct {
	Status   desk.Status `json:"status" jsonschema:"required"`
	Response bool        `json:"response,omitempty"`
}

type awaitResult struct {
	Status  desk.Status       `json:"status" jsonschema:"required"`
	Answers map[string]string `json:"answers,omitempty"`
}

// JSONSchema describes what a response may be.
func (anyResponse) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Extras: map[string]any{"type": []string{"string", "array", "boolean", "null"}}}
}

// JSONSchema describes a chosen option: id and label.
func (Selected) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

// JSONSchema describes an answerer: kind, how and perhaps name.
func (Answerer) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

// JSONSchema describes an object of strings.
func (ordered) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}}
}

// The published arguments. They are written for models: what else [DecodeAsk]
// understands is not published. The follow-ups are unrolled two levels deep,
// because clients of some models know no references.

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

// askSchema returns the input schema of ask_user_question.
func askSchema() json.RawMessage {
	s := typeSchema(&askArguments{})
	complete(s)
	describe(s)
	return marshal(s)
}

// describe puts the stand-ins of the limits into the schema of a set, and says
// once what a field is for.
func describe(s *jsonschema.Schema) {
	questions := property(s, "questions")
	questions.MaxItems = new(uint64(questionsHere))
	for level := questions.Items; ; {
		options := property(level, "options")
		options.MaxItems = new(uint64(optionsHere))
		if level == questions.Items {
			property(level, "question").MaxLength = new(uint64(questionHere))
			for _, t := range question.Types() {
				property(level, "type").Enum = append(property(level, "type").Enum, t)
			}
			property(level, "header").Description = fmt.Sprintf("Short label, at most %d characters", headerHere)
			property(options.Items, "label").Description = "1-5 words"
			property(options.Items, "description").Description = "What it means"
			property(options.Items, "preview").Description = "Preformatted, for comparison"
		}
		below := property(level, "follow_up_questions")
		if below == nil {
			return
		}
		below.AdditionalProperties.MaxItems = new(uint64(questionsHere))
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
// refuse an object without.
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

// What is compiled in is what the types say.
func TestSchemasAreFresh(t *testing.T) {
	data, err := json.Marshal(reflected())
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../schemas.json", string(append(data, '\n')))
}

// schema.json is made by go generate and must not be older than the code.
func TestSchemaFileIsFresh(t *testing.T) {
	want, err := os.ReadFile("../../../schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := json.Indent(&got, Schemas(question.DefaultLimits()).Ask, "", "  "); err != nil {
		t.Fatal(err)
	}
	if got.WriteByte('\n'); !bytes.Equal(got.Bytes(), want) {
		t.Error("schema.json is stale: run go generate ./...")
	}
}

// Models' validators know no references and no choice at the top level, and
// want items on every array and properties on every object.
func TestSchemaSuitsEveryModel(t *testing.T) {
	var check func(path string, v any)
	check = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, banned := range []string{"$ref", "$defs", "$schema", "oneOf", "anyOf", "allOf"} {
				if _, there := v[banned]; there {
					t.Errorf("%s has %s", path, banned)
				}
			}
			if v["type"] == "array" && v["items"] == nil {
				t.Errorf("%s is an array without items", path)
			}
			if v["type"] == "object" && v["properties"] == nil {
				t.Errorf("%s is an object without properties", path)
			}
			if v["additionalProperties"] == false {
				t.Errorf("%s refuses unknown members", path)
			}
			for k, x := range v {
				check(path+"."+k, x)
			}
		case []any:
			for _, x := range v {
				check(path+"[]", x)
			}
		}
	}
	var schema any
	if err := json.Unmarshal(Schemas(question.DefaultLimits()).Ask, &schema); err != nil {
		t.Fatal(err)
	}
	check("", schema)
}

func TestLimitsMoveTheSchema(t *testing.T) {
	l := question.DefaultLimits()
	l.Questions, l.Options, l.Question, l.Header = 7, 9, 321, 20
	got := string(Schemas(l).Ask)
	for text, times := range map[string]int{`"maxItems":7`: 3, `"maxItems":9`: 3, `"maxLength":321`: 1, "at most 20 characters": 1} {
		if n := strings.Count(got, text); n != times {
			t.Errorf("%s stands %d times in the schema, want %d", text, n, times)
		}
	}
}

// What a result holds is what the output schema says.
func TestResultsMatchTheOutputSchema(t *testing.T) {
	var schema struct {
		Properties map[string]any
		Required   []string
	}
	if err := json.Unmarshal(schemaOf(&Result{}), &schema); err != nil {
		t.Fatal(err)
	}
	var result map[string]any
	data, err := json.Marshal(NewResult(answeredBy(asked(databaseQuestion()), "note", question.Answer{QuestionID: "q1", Custom: "x"})))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &result); err != nil {
		t.Fatal(err)
	}
	for name := range result {
		if schema.Properties[name] == nil {
			t.Errorf("%s is not in the output schema", name)
		}
	}
	for _, name := range schema.Required {
		if _, there := result[name]; !there {
			t.Errorf("%s is required and missing", name)
		}
	}
}
