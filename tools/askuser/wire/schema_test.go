package wire

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; if that is meant, run the test with -update and look at the diff:\n%s", path, got)
	}
}

// What follows makes schemas.json.

// reflected makes what published holds.
func reflected() Published {
	return Published{
		Ask:           AskSchema(question.DefaultLimits()),
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

// JSONSchema describes an object of strings.
func (ordered) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}}
}

// What is compiled in is what the types say.
func TestSchemasAreFresh(t *testing.T) {
	data, err := json.Marshal(reflected())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "schemas.json", append(data, '\n'))
}

// schema.json is made by go generate and must not be older than the code.
func TestSchemaFileIsFresh(t *testing.T) {
	want, err := os.ReadFile("../../../schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := json.Indent(&got, AskSchema(question.DefaultLimits()), "", "  "); err != nil {
		t.Fatal(err)
	}
	if got.WriteByte('\n'); !bytes.Equal(got.Bytes(), want) {
		t.Error("schema.json is stale: run go generate ./...")
	}
}

// Models' validators know no references and no choice at the top level, and
// want items on every array and properties on every object (FACTS 6).
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
	if err := json.Unmarshal(AskSchema(question.DefaultLimits()), &schema); err != nil {
		t.Fatal(err)
	}
	check("", schema)
}

func TestLimitsMoveTheSchema(t *testing.T) {
	l := question.DefaultLimits()
	l.Questions, l.Options, l.Question, l.Header = 7, 9, 321, 20
	got := string(AskSchema(l))
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
