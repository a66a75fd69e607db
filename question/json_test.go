package question

import (
	"encoding/json"
	"reflect"
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

// Records of earlier versions keep their follow-ups, at every depth.
func TestEarlierRecordsKeepTheirFollowUps(t *testing.T) {
	want := auth()
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	earlier := strings.ReplaceAll(string(data), `"follow_up_questions"`, `"follow_ups"`)
	if earlier == string(data) {
		t.Fatal("there are no follow-ups in the set")
	}
	for _, in := range []string{string(data), earlier} {
		var got Set
		if err := json.Unmarshal([]byte(in), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
		}
	}
}
