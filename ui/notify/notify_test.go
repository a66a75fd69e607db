package notify

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func record(client, text string) desk.Record {
	return desk.Record{
		ID: "01JD0000000000000000000000", SessionID: "s1", Round: 2, State: desk.Pending,
		Asker:     desk.Asker{Client: client, Directory: "/home/u/shop", Via: "mcp"},
		CreatedAt: time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC),
		Set: question.Set{
			Questions: []question.Question{{ID: "q1", Text: text, Type: question.Text}},
			Metadata:  map[string]any{"ticket": "A-7"},
		},
	}
}

func variables(env ...string) func(string) string {
	return func(name string) string {
		for _, entry := range env {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
}
