package form

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/ui/gate"
)

// FuzzKeys presses any keys, pastes, pauses and resizes, in a form that the user
// opened or not: the form never panics, always draws within its terminal, and
// hands over only replies that the set allows, only when Enter was pressed.
func FuzzKeys(f *testing.F) {
	presses := []string{
		"enter", "enter", "esc", "tab", "space", "up", "down", "left", "right", "pgup", "pgdown", "home", "end",
		"backspace", "shift+tab", "alt+enter", "ctrl+j", "ctrl+b", "ctrl+t", "ctrl+w", "ctrl+u", "ctrl+k",
		"0", "1", "2", "3", "9", "y", "n", "s", "e", "r", "j", "k", "/", "?", "<", ">", "字", "👍🏽", "q",
		"h", "L", "alt+h", "alt+l", "x", "d", "ctrl+x", "ctrl+d", "ctrl+n", "ctrl+r",
	}
	sets := [][]question.Question{
		{database()},
		{withFollowUp(), optional(features()), name()},
		{withPreview(), deploy()},
		{chinese(), optional(name()), optional(database()), closedChoice(features())},
		{longQuestion(), database()},
	}
	for i := range sets {
		f.Add(byte(i), []byte{0, 0, 0, 22, 38, 0, 2, 31, 38, 0})
		f.Add(byte(i), []byte("\x00\x16\x26\x00\x03\x02\x22\x0e\xf0\x00\x18\x00\xf1\x01\x00\x00"))
	}
	f.Add(byte(128), []byte("\xe8\x17\x1d\xe8\x17\x00\x1d\xe8\x16\xf0\xf3\xe8\x00\x26\x1f\x00"))
	f.Fuzz(func(t *testing.T, which byte, script []byte) {
		qs := sets[int(which)%len(sets)]
		rec := record(distinct(qs)...)
		rec.Round = 3
		origin := gate.Origin(which / 128)
		r := fresh(t, 40, 10, rec, withRounds(before), withLift(func() error { return nil }), withOrigin(origin)).show()
		script = script[:min(len(script), 200)]
		for i, b := range script {
			before, key := len(r.sent), ""
			switch {
			case b >= 0xf8:
				r.send(tea.PasteMsg{Content: "pasted\r\ntext\t字\x1b[31m"})
			case b >= 0xe8 && b < 0xf0:
				r.wait(time.Second)
			case b >= 0xf0:
				next := slices.Concat(script[i+1:], []byte{b, b}) // which are keys too
				r.w, r.h = int(next[0])%(2*wideEnough), int(next[1])%40
				r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
			default:
				key = presses[int(b)%len(presses)]
				r.keys(key)
			}
			checkScreen(t, r)
			if len(r.sent) == before {
				continue
			}
			if key != "enter" {
				t.Fatalf("%q committed %+v", key, r.sent)
			}
			if _, err := r.f.rec.Check(r.sent[before]); err != nil {
				t.Fatalf("committed %+v: %v", r.sent[before], err)
			}
		}
		checkDraft(t, r)
	})
}

// checkDraft fails when a form that starts from the draft of this one does not
// hold the same.
func checkDraft(t *testing.T, r *rig) {
	t.Helper()
	draft := r.f.set.Draft()
	if got := New(r.f.rec, nil, Options{Draft: draft}).set.Draft(); !sameDraft(got, draft) {
		t.Fatalf("restored %+v from the draft %+v", got, draft)
	}
}

// distinct gives every question an id of its own.
func distinct(qs []question.Question) []question.Question {
	out := make([]question.Question, len(qs))
	for i, q := range qs {
		q.ID += string(rune('a' + i))
		out[i] = q
	}
	return out
}

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
