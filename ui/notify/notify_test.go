package notify

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
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

// A notification is two lines of text in the user's language, and begins with the same words for all
// agents.
func TestTexts(t *testing.T) {
	t.Cleanup(func() { words.Local = words.English })
	for _, tt := range []struct {
		language     words.Language
		client, text string
		more         int
		title, body  string
	}{
		{words.English, "claude", "Which?", 2, "Question from claude in shop", "Which? (and 2 more)"},
		{words.English, "\x1b]0;x", "a\u009cb\a\u202ec\nd", 0, "Question from ␛]0;x in shop", "a[U+009C]b␇[U+202E]c␊d"},
		{words.English, "", strings.Repeat("é", 500), 1, "Question from an agent in shop",
			strings.Repeat("é", 146) + "… (and 1 more)"},
		{words.Chinese, "", strings.Repeat("字", 500), 2, "问题（来自 某个智能体 · shop）",
			strings.Repeat("字", 151) + "…（还有 2 个）"},
	} {
		words.Local = tt.language
		rec := record(tt.client, tt.text)
		for range tt.more {
			rec.Questions = append(rec.Questions, rec.Questions[0])
		}
		e := newNotice(rec, 0)
		if title(e) != tt.title || body(e) != tt.body {
			t.Errorf("got %q, %q\nwant %q, %q", title(e), body(e), tt.title, tt.body)
		}
	}
}
