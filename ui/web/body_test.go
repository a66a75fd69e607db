package web

import (
	"strings"
	"testing"

	"mcp-askuser/ui/api"
)

// A body of the wrong type is refused in words of its own, which name the member.
func TestBodyOfTheWrongType(t *testing.T) {
	g := start(t)
	for body, want := range map[string]string{
		`[]`:                                  "it has the wrong type (array).",
		`{"session_id":5,"question_id":"db"}`: "session_id has the wrong type (number).",
	} {
		if got := string(g.task(400, api.InvalidAnswer, body).body); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", body, got, want)
		}
	}
}
