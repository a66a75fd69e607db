package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// sized are calls of as much as a call may hold, some of them allowed, most of
// them hostile.
func sized() map[string]string {
	fill := func(head, item, tail string) string {
		n := (maxCall - len(head) - len(tail)) / len(item)
		if strings.HasSuffix(item, ",") {
			n = min(n, maxValues/2-10)
		}
		return head + strings.Repeat(item, n) + tail
	}
	numbered := func(head, item, tail string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; i < maxValues/2-10 && b.Len() < maxCall-len(tail)-len(item)-10; i++ {
			fmt.Fprintf(&b, item, i)
		}
		return strings.TrimSuffix(b.String(), ",") + tail
	}
	preview := strings.Repeat("字", 5000)
	var options []string
	for i := range 4 {
		options = append(options, fmt.Sprintf(`{"label":"%d","preview":"%s"}`, i, preview))
	}
	whole := []string{}
	for i := range 4 {
		whole = append(whole, fmt.Sprintf(`{"question":"%d?","options":[%s]}`, i, strings.Join(options, ",")))
	}
	quoted, _ := json.Marshal(`[` + whole[0] + `,` + whole[1] + `,` + whole[2] + `]`)
	return map[string]string{
		"previews":          `{"questions":[` + strings.Join(whole, ",") + `]}`,
		"previews, quoted":  `{"questions":` + string(quoted) + `}`,
		"marks":             fill(`{"questions":[{"question":"e`, "\u0301", `"}]}`),
		"lines":             fill(`{"questions":[{"question":"1?","description":"`, `\n`, `"}]}`),
		"questions":         fill(`{"questions":[`, `{},`, `{}]}`),
		"options":           fill(`{"questions":[{"question":"1?","options":[`, `"",`, `""]}]}`),
		"members":           numbered(`{"question":"1?",`, `"%d":1,`, `}`),
		"follow-ups":        numbered(`{"questions":[{"question":"1?","options":["A","B"],"follow_up_questions":{`, `"%d":[],`, `}}]}`),
		"answers":           numbered(`{"question":"1?","answers":{`, `"%d":"",`, `}}`),
		"an answer's words": fill(`{"question":"1?","type":"checkbox","options":["a","a,a","a,a,a","b"],"answers":{"1?":"`, `a,`, `c"}}`),
		"nesting":           strings.Repeat("[", maxCall/2) + strings.Repeat("]", maxCall/2),
		"nested objects":    strings.Repeat(`{"questions":`, maxCall/14) + "[]" + strings.Repeat("}", maxCall/14),
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

// None of them takes long.
func TestDecodeEndsSoon(t *testing.T) {
	for name, in := range sized() {
		if len(in) > maxCall {
			t.Errorf("%s is %d bytes", name, len(in))
		}
		start := time.Now()
		_, err := DecodeAsk([]byte(in), mcpLimits())
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s took %s", name, took)
		}
		if err != nil && len(err.Error()) > 64<<10 {
			t.Errorf("%s: %d bytes of faults", name, len(err.Error()))
		}
		if allowed := strings.HasPrefix(name, "previews"); allowed != (err == nil) && allowed {
			t.Errorf("%s: %.300v", name, err)
		}
	}
}
