package question

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{`7`, `7`},
		{` [ 1, 2 ]`, `[1,2]`},
		{`"` + strings.Repeat("x", 38) + `"`, `"` + strings.Repeat("x", 38) + `"`},
		{`"` + strings.Repeat("x", 39) + `"`, `"` + strings.Repeat("x", 38) + `…`},
		{`[` + strings.Repeat("1,", 40) + `1]`, "an array"},
		{`{"a":"` + strings.Repeat("x", 40) + `"}`, "an object"},
		{"\"\u009b2J\u202e\"", `"[U+009B]2J[U+202E]"`},
		{``, "not JSON"},
	} {
		if got := Describe(json.RawMessage(tc.in)); got != tc.want {
			t.Errorf("Describe(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}
