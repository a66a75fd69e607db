package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-askuser/question"
)

// Models' validators know no references and no choice at the top level, and
// want items on every array and properties on every object.
func TestSchemaSuitsEveryModel(t *testing.T) {
	schema := string(Schemas(question.DefaultLimits()).Ask)
	banned := []string{"$ref", "$defs", "$schema", "oneOf", "anyOf", "allOf"}
	for _, member := range append(banned, `"additionalProperties":false`) {
		if strings.Contains(schema, member) {
			t.Errorf("%s is in the schema", member)
		}
	}
	for kind, needs := range map[string]string{`"type":"array"`: `"items":{`, `"type":"object"`: `"properties":{`} {
		has, wants := strings.Count(schema, needs), strings.Count(schema, kind)
		if has != wants || wants == 0 {
			t.Errorf("%d of %s have %d of %s", wants, kind, has, needs)
		}
	}
}

func TestLimitsMoveTheSchema(t *testing.T) {
	l := question.DefaultLimits()
	l.Questions, l.Options, l.Question, l.Header = 7, 9, 321, 20
	got := string(Schemas(l).Ask)
	for _, text := range []string{`"maxItems":7`, `"maxItems":9`, `"maxLength":321`, "at most 20 characters"} {
		if n := strings.Count(got, text); n != 1 {
			t.Errorf("%s stands %d times in the schema, want once", text, n)
		}
	}
	d := question.DefaultLimits()
	back := strings.NewReplacer(`"maxItems":7`, fmt.Sprintf(`"maxItems":%d`, d.Questions), `"maxItems":9`, fmt.Sprintf(`"maxItems":%d`, d.Options),
		`"maxLength":321`, fmt.Sprintf(`"maxLength":%d`, d.Question), "at most 20", fmt.Sprintf("at most %d", d.Header))
	if want := string(Schemas(d).Ask); back.Replace(got) != want {
		t.Errorf("other limits change more than the limits: %s, want %s", got, want)
	}
}

// The limits of a call as a whole are looked at before it is read.
func TestCallHasLimits(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"size", `{"question":"` + strings.Repeat("x", maxCall) + `"}`, "arguments: must be at most 256 kB, is 257 kB"},
		{"nesting", `{"question":"1?","metadata":{"a":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}}`, "arguments: must be nested at most 32 levels deep, is 33"},
		{"no nesting in a text", `{"question":"` + strings.Repeat("[", 40) + `\"` + strings.Repeat("{", 40) + `"}`, ""},
		{"nesting in a text that is read", `{"questions":"[{\"question\":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}]"}`, `questions: must be an array of questions, is`},
		{"values", `{"question":"1?","x":[` + strings.Repeat("1,", 20_000) + `1]}`, "arguments: must hold at most 10000 values, holds 20003"},
		{"metadata", `{"question":"1?","metadata":{"a":"` + strings.Repeat("x", 16<<10) + `"}}`, "metadata: must be at most 16 kB, is 17 kB"},
		{"options", `{"question":"1?","options":[` + strings.Repeat(`"A",`, 1000) + `"B"]}`, "questions[0].options: must have 2 to 4 options, has 1001"},
		{"questions", `{"questions":[` + strings.Repeat(`{},`, 1000) + `{}]}`, "questions: must have 1 to 4 questions, has 1001"},
		{"members", `{"question":"1?"` + strings.Repeat(`,"a":1`, 300) + `}`, ""},
	} {
		_, err := DecodeAsk([]byte(tc.in), mcpLimits())
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "Validation failed\n- ")
		}
		if got != tc.want && (tc.want == "" || !strings.HasPrefix(got, tc.want)) {
			t.Errorf("%s: got %.200s, want %s", tc.name, got, tc.want)
		}
	}
}

// A call of as much as a call may hold is decoded soon, also a hostile one, and its faults are few.
func TestDecodeEndsSoon(t *testing.T) {
	fill := func(head, item, tail string, most int) string {
		return head + strings.Repeat(item, min(most, (maxCall-len(head)-len(tail))/len(item))) + tail
	}
	numbered := strings.Builder{}
	for i := range maxValues/2 - 10 {
		fmt.Fprintf(&numbered, `"%d":[],`, i)
	}
	preview := `{"label":"%d","preview":"` + strings.Repeat("字", 5000) + `"}`
	previews := fmt.Sprintf(`[{"question":"1?","options":[`+preview+`,`+preview+`,`+preview+`,`+preview+`]}]`, 1, 2, 3, 4)
	quoted, _ := json.Marshal(previews)
	for name, in := range map[string]string{
		"previews":         `{"questions":` + previews + `}`,
		"previews, quoted": `{"questions":` + string(quoted) + `}`,
		"marks":            fill(`{"questions":[{"question":"e`, "\u0301", `"}]}`, maxCall),
		"questions":        fill(`{"questions":[`, `{},`, `{}]}`, maxValues/2-10),
		"follow-ups": `{"questions":[{"question":"1?","options":["A","B"],"follow_up_questions":{` +
			strings.TrimSuffix(numbered.String(), ",") + `}}]}`,
		"an answer's words": fill(`{"question":"1?","type":"checkbox","options":["a","a,a","a,a,a","b"],"answers":{"1?":"`,
			`a,`, `c"}}`, maxCall),
		"nested objects": strings.Repeat(`{"questions":`, maxCall/14) + "[]" + strings.Repeat("}", maxCall/14),
	} {
		start := time.Now()
		_, err := DecodeAsk([]byte(in), mcpLimits())
		if took := time.Since(start); took > 30*time.Second || len(in) > maxCall {
			t.Errorf("%s, %d bytes, took %s", name, len(in), took)
		}
		if err != nil && len(err.Error()) > 64<<10 {
			t.Errorf("%s: %d bytes of faults", name, len(err.Error()))
		}
		if strings.HasPrefix(name, "previews") && err != nil {
			t.Errorf("%s: %.300v", name, err)
		}
	}
}
