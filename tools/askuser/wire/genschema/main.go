// Command genschema writes the published schemas: ../schemas.json, which is
// compiled into wire; schema.json at the root of the module, the arguments of
// ask_user_question for people and programs; and what openapi.json says of questions
// and answers. It reflects on wire's results and on
// the types below, which are the calls that wire decodes, as models should write
// them: the other accepted forms are not published. Follow-ups are unrolled two
// levels deep, because clients of some models support no references.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/invopop/jsonschema"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
)

func main() {
	files, err := generate(".")
	for path, text := range files {
		if err == nil {
			err = os.WriteFile(path, text, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "genschema:", err)
		os.Exit(1)
	}
}

// generate returns the texts of the files by their paths, relative to the
// directory of wire, which is wireDir from here.
func generate(wireDir string) (map[string][]byte, error) {
	var err error
	schema := func(v any, finish ...func(*jsonschema.Schema)) json.RawMessage {
		s := reflected(v)
		for _, f := range finish {
			f(s)
		}
		text, failed := json.Marshal(s)
		if failed != nil {
			err = failed
		}
		return text
	}
	p := wire.Published{
		Ask:           schema(&askArguments{}, addProperties, addQuestionTypes, func(s *jsonschema.Schema) { wire.SetLimits(s, question.DefaultLimits()) }),
		AskResult:     schema(&wire.Result{}),
		Confirm:       schema(&confirmArguments{}),
		ConfirmResult: schema(&confirmResult{}),
		Await:         schema(&awaitArguments{}),
		AwaitResult:   schema(&awaitResult{}),
	}
	if err != nil {
		return nil, err
	}
	published, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var ask bytes.Buffer
	if err := json.Indent(&ask, p.Ask, "", "  "); err != nil {
		return nil, err
	}
	ask.WriteByte('\n')
	const openapi = "../../../ui/web/openapi.json"
	api, err := os.ReadFile(filepath.Join(wireDir, openapi))
	if err == nil {
		api, err = describeQuestions(api)
	}
	return map[string][]byte{"schemas.json": append(published, '\n'), "../../../schema.json": ask.Bytes(), openapi: api}, err
}

// describeQuestions replaces the schemas of questions, options and answers in the text
// of openapi.json.
func describeQuestions(openapi []byte) ([]byte, error) {
	r := jsonschema.Reflector{Anonymous: true, AllowAdditionalProperties: true}
	defined := r.Reflect(&question.Question{}).Definitions
	addTypes(defined["Question"])
	for name, s := range defined {
		text, err := json.MarshalIndent(s, "      ", "  ")
		if err != nil {
			return nil, err
		}
		text = bytes.ReplaceAll(text, []byte("#/$defs/"), []byte("#/components/schemas/"))
		old := regexp.MustCompile(`(?m)^      "` + name + `": \{\n(?:       .*\n)*      \}`)
		if !old.Match(openapi) {
			return nil, fmt.Errorf("openapi.json has no schema %s", name)
		}
		openapi = old.ReplaceAllLiteral(openapi, fmt.Appendf(nil, `      %q: %s`, name, text))
	}
	return openapi, nil
}

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
	Label       string `json:"label" jsonschema:"required,minLength=1" jsonschema_description:"1-5 words"`
	Description string `json:"description,omitempty" jsonschema_description:"What it means"`
	ID          string `json:"id,omitempty"`
	Default     bool   `json:"default,omitempty"`
	Preview     string `json:"preview,omitempty" jsonschema_description:"Preformatted, for comparison"`
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

type confirmArguments struct {
	Action  string `json:"action" jsonschema:"required,minLength=1"`
	Details string `json:"details,omitempty"`
	Default bool   `json:"default,omitempty"`
}

type awaitArguments struct {
	ID string `json:"id" jsonschema:"required"`
}

// confirmResult and awaitResult are what is published of the results of the other
// two tools. Those have all members of wire.Result, but each byte of a schema
// costs the user's context.
type confirmResult struct {
	Status   desk.Status `json:"status" jsonschema:"required"`
	Response bool        `json:"response,omitempty"`
}

type awaitResult struct {
	Status  desk.Status       `json:"status" jsonschema:"required"`
	Answers map[string]string `json:"answers,omitempty"`
}

// reflected returns the schema of a struct without references and without a
// version, open to further members.
func reflected(v any) *jsonschema.Schema {
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

func addQuestionTypes(s *jsonschema.Schema) {
	questions, _ := s.Properties.Get("questions")
	addTypes(questions.Items)
}

// addTypes lists the types in the schema of a question.
func addTypes(s *jsonschema.Schema) {
	t, _ := s.Properties.Get("type")
	for _, name := range question.Types() {
		t.Enum = append(t.Enum, name)
	}
}

// addProperties gives each object without properties empty ones: validators of
// some models refuse an object without.
func addProperties(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.Type == "object" && s.Properties == nil {
		s.Properties = jsonschema.NewProperties()
	}
	addProperties(s.Items)
	addProperties(s.AdditionalProperties)
	if s.Properties != nil {
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			addProperties(p.Value)
		}
	}
}
