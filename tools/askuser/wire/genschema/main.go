// Command genschema writes the published schemas: ../schemas.json, which is
// compiled into wire; schema.json at the root of the module, the arguments of
// ask_user_question for people and programs; and what openapi.json says of questions
// and answers. It reflects on wire's results and on
// the types below, which are the calls that wire decodes, as models should write
// them: the other accepted forms are not published. Follow-ups are described in a
// sentence, because clients of some models support no references.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
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
		Ask:           wire.WithLimits(schema(&askArguments{}, addProperties), question.DefaultLimits()),
		AskResult:     schema(&wire.Result{}, addResponse),
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
	files := map[string][]byte{"schemas.json": append(published, '\n'), "../../../schema.json": ask.Bytes(), openapi: api}
	return files, err
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
		text = onePerLine(bytes.ReplaceAll(text, []byte("#/$defs/"), []byte("#/components/schemas/")))
		old := regexp.MustCompile(`(?m)^      "` + name + `": \{\n(?:       .*\n)*      \}`)
		if !old.Match(openapi) {
			return nil, fmt.Errorf("openapi.json has no schema %s", name)
		}
		openapi = old.ReplaceAllLiteral(openapi, fmt.Appendf(nil, `      %q: %s`, name, text))
	}
	return openapi, nil
}

// onePerLine puts each property of an indented schema, and its list of required ones, on one
// line.
func onePerLine(schema []byte) []byte {
	block := regexp.MustCompile(`(?m)^(          "\w+": \{|        "required": \[)\n(?:            .*\n|          ".*\n)+ +[}\]]`)
	return block.ReplaceAllFunc(schema, func(block []byte) []byte {
		lines := bytes.Split(block, []byte("\n"))
		for i, line := range lines[1:] {
			lines[i+1] = bytes.TrimSpace(line)
		}
		return bytes.Join(lines, []byte(" "))
	})
}

type askArguments struct {
	Questions []askQuestion `json:"questions" jsonschema:"required,minItems=1" jsonschema_description:"Related questions, asked together"`
	Wait      bool          `json:"wait,omitempty" jsonschema_description:"False: go on, await_answer later"`
	Timeout   int           `json:"timeout_seconds,omitempty" jsonschema_description:"Give up after; default never"`
	Session   string        `json:"session_id,omitempty" jsonschema_description:"Continue an earlier dialogue"`
}

// Type is taken too, but not published: a question without options asks for free text,
// and models take multiple_choice for several answers.
type askQuestion struct {
	Question    string         `json:"question" jsonschema:"required,minLength=1" jsonschema_description:"Complete sentence, with its context"`
	Header      string         `json:"header,omitempty"`
	Options     []askOption    `json:"options,omitempty" jsonschema:"minItems=2" jsonschema_description:"Leave out for free text"`
	MultiSelect bool           `json:"multiSelect,omitempty" jsonschema_description:"Several options may be chosen"`
	ID          string         `json:"question_id,omitempty" jsonschema_description:"Your name for this question"`
	Required    bool           `json:"required,omitempty" jsonschema:"default=true" jsonschema_description:"False: may stay open"`
	AllowCustom bool           `json:"allow_custom,omitempty" jsonschema:"default=true" jsonschema_description:"Offer free text beside options"`
	Default     string         `json:"default,omitempty" jsonschema_description:"Proposed text or option label"`
	Placeholder string         `json:"placeholder,omitempty" jsonschema_description:"Example in the text field"`
	FollowUps   map[string]any `json:"follow_up_questions,omitempty" jsonschema_description:"By option label: [{question, options: [label]}], asked only if chosen"`
}

type askOption struct {
	Label       string `json:"label" jsonschema:"required,minLength=1" jsonschema_description:"1-5 words to choose"`
	Description string `json:"description,omitempty" jsonschema_description:"What choosing it means"`
	ID          string `json:"id,omitempty" jsonschema_description:"Your name for this option"`
	Default     bool   `json:"default,omitempty" jsonschema_description:"Proposed, never chosen by itself"`
	Preview     string `json:"preview,omitempty" jsonschema_description:"Preformatted text, to compare options"`
}

type confirmArguments struct {
	Action  string `json:"action" jsonschema:"required,minLength=1" jsonschema_description:"What you will do, as a question"`
	Details string `json:"details,omitempty" jsonschema_description:"What the user should know first"`
	Default bool   `json:"default,omitempty" jsonschema_description:"Proposed answer, never given by itself"`
}

type awaitArguments struct {
	ID   string   `json:"id,omitempty"`
	IDs  []string `json:"ids,omitempty"`
	Wait bool     `json:"wait,omitempty" jsonschema_description:"False: those answered now"`
}

// confirmResult and awaitResult are what is published of the results of the other
// two tools. Those have all members of wire.Result, but each byte of a schema
// costs the user's context.
type confirmResult struct {
	Status   desk.Status `json:"status" jsonschema:"required"`
	Response bool        `json:"response,omitempty"`
}

type awaitResult struct {
	Status  desk.Status    `json:"status" jsonschema:"required"`
	Answers map[string]any `json:"answers,omitempty"`
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
		Mapper:                     withoutMembers,
	}
	s := r.Reflect(v)
	s.Version = ""
	return s
}

// withoutMembers describes the objects of a result in a word: each byte costs the user's
// context.
func withoutMembers(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[wire.Response](), reflect.TypeFor[question.Proof](),
		reflect.TypeOf(wire.Result{}.Answers):
		return &jsonschema.Schema{Type: "object"}
	}
	return nil
}

// addTypes lists the types in the schema of a question.
func addTypes(s *jsonschema.Schema) {
	t, _ := s.Properties.Get("type")
	for _, name := range question.Types() {
		t.Enum = append(t.Enum, name)
	}
}

// addResponse lists the types that a response may have.
func addResponse(s *jsonschema.Schema) {
	s.Properties.Set("response", &jsonschema.Schema{Extras: map[string]any{
		"type": []string{"string", "array", "boolean", "null"}}})
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
