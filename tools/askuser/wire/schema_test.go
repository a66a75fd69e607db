package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

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
	fatal.If(t, json.Unmarshal(Schemas(question.DefaultLimits()).Ask, &schema))
	check("", schema)
}

func TestLimitsMoveTheSchema(t *testing.T) {
	l := question.DefaultLimits()
	l.Questions, l.Options, l.Question, l.Header = 7, 9, 321, 20
	got := string(Schemas(l).Ask)
	for text, times := range map[string]int{`"maxItems":7`: 2, `"maxItems":9`: 2, `"maxLength":321`: 1, "at most 20 characters": 1} {
		if n := strings.Count(got, text); n != times {
			t.Errorf("%s stands %d times in the schema, want %d", text, n, times)
		}
	}
	d := question.DefaultLimits()
	back := strings.NewReplacer(`"maxItems":7`, fmt.Sprintf(`"maxItems":%d`, d.Questions), `"maxItems":9`, fmt.Sprintf(`"maxItems":%d`, d.Options),
		`"maxLength":321`, fmt.Sprintf(`"maxLength":%d`, d.Question), "at most 20", fmt.Sprintf("at most %d", d.Header))
	if want := string(Schemas(d).Ask); back.Replace(got) != want {
		t.Errorf("other limits change more than the limits: %s, want %s", got, want)
	}
}

// What a result holds is what the output schema says.
func TestResultsMatchTheOutputSchema(t *testing.T) {
	var schema struct {
		Properties map[string]any
		Required   []string
	}
	fatal.If(t, json.Unmarshal(Schemas(question.DefaultLimits()).AskResult, &schema))
	long := NewResult(answeredBy(asked(databaseQuestion()), "note", question.Answer{QuestionID: "q1", Custom: "x", Note: "y"}))
	for _, r := range []any{long, NewResult(asked(databaseQuestion())), Refused(CodeValidation, "x")} {
		var result map[string]any
		data, err := json.Marshal(r)
		fatal.If(t, err)
		fatal.If(t, json.Unmarshal(data, &result))
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
}
