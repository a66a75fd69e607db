package form

import (
	"errors"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
)

// FuzzHostile puts any text into every field: none of it reaches the terminal
// as anything but text.
func FuzzHostile(f *testing.F) {
	for _, s := range []string{
		"plain", "\x1b[2J\x1b[31mred", "\x1b]52;c;ZXZpbA==\x07", "\x9b31m\u009b", "\u202eevil\u2066", "a\r\nb\tc\x00\x7f",
		"\xff\xfe", "\u200e\u200b", "👨‍👩‍👧‍👦字字字", strings.Repeat("長", 300), "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		first := question.Option{ID: "a", Label: s, Description: s, Preview: s}
		other := question.Option{ID: "b", Label: s, Default: true}
		choose := question.Question{ID: "1", Header: s, Text: s, Description: s, Type: question.SingleChoice, Required: true,
			Options: []question.Option{first, other}, AllowCustom: true, Other: &first}
		write := question.Question{ID: "2", Header: s, Text: s, Type: question.Text, Default: s, Placeholder: s}
		rec := record(choose, write)
		rec.Asker.Client, rec.Asker.Directory, rec.Asker.Version = s, s, s
		rec.Round = 2
		draft := question.Reply{Note: s, Reason: s, Answers: []question.Answer{told("1", s, "a"), told("2", s)}}
		before := rec
		before.ID, before.Round = "01H", 1
		before.Outcome = &desk.Outcome{Status: desk.Answered, Surface: s, Reason: s, Reply: &draft}
		opts := []option{
			withDraft(draft),
			withRounds(func() []desk.Record { return []desk.Record{before} }),
			withLift(func() error { return errors.New(s) }),
		}
		for _, size := range [][2]int{{40, 10}, {120, 30}} {
			r := fresh(t, size[0], size[1], rec, opts...)
			r.show()
			for _, key := range []string{"alt+h", "end", "esc", "alt+l", "up", "tab", "esc", "pgdown", "0", "esc", "1", "enter", "tab", "esc", "enter", "?", "esc", "esc"} {
				checkScreen(t, r)
				r.keys(key)
			}
			r.send(Withdraw{question.Violations{{Path: s, Message: s}}})
			if termtest.Harmful(r.f.Closing()) || strings.Contains(r.f.Closing(), "\n") {
				t.Fatalf("closing %q", r.f.Closing())
			}
		}
	})
}
