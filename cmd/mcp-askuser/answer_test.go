//go:build unix

package main

import (
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// asking puts a question on the desk, of an asker that has gone since.
func asking(t *testing.T, d *desk.Desk, text string) desk.Record {
	t.Helper()
	set := question.Set{Questions: []question.Question{{
		ID: "q1", Text: text, Type: question.SingleChoice, Required: true, AllowCustom: true,
		Options: []question.Option{{ID: "yes", Label: "Yes"}, {ID: "no", Label: "No"}},
	}}}
	rec, err := desktest.Ask(t.Context(), d, set, "", desk.Asker{Client: "agent", Directory: "/srv/shop", Via: "mcp"})
	fatal.If(t, err)
	return rec
}

// Answered from any terminal: the oldest unless one is named, in the full-screen or the line form.
// Ctrl+C leaves it open.
func TestAnsweringOnATerminal(t *testing.T) {
	for _, tc := range []struct {
		name   string
		args   []string // ID stands for the id of the second question
		text   string   // of the question that is shown
		keys   func(*seat)
		status int
		state  desk.Status
		says   string // on standard error
	}{
		{"the oldest, interrupted", nil, "First?", func(s *seat) { s.Type("\x03") },
			exitInterrupted, desk.Pending, staysOpen},
		{"the oldest, hung up", nil, "First?", func(s *seat) { s.Signal(syscall.SIGHUP) },
			exitInterrupted, desk.Pending, staysOpen},
		{"by a short id", []string{"ID"}, "Second?", func(s *seat) { s.Type("1"); s.WaitFor("(•) Yes"); s.Type("\r") },
			0, desk.Answered, "Answered in a terminal: Second?"},
		{"in lines", []string{"--plain"}, "First?",
			func(s *seat) { s.Expect("number: "); s.Type("2\r"); s.Expect("? helps: "); s.Type("\r") },
			0, desk.Answered, "Answered in a terminal: First?"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := openDesk(t, dir)
			records := []desk.Record{asking(t, d, "First?"), asking(t, d, "Second?")}
			args := append([]string{"answer"}, tc.args...)
			if args[len(args)-1] == "ID" {
				args[1] = strings.ToLower(shortened(records)[1])
			}
			s := seated(t, 80, 24, program(t, dir, args...))
			s.WaitFor(tc.text)
			tc.keys(s)
			if got := s.Wait(); got != tc.status || !strings.Contains(s.Output(), tc.says) {
				t.Errorf("exit status %d, want %d\n%s", got, tc.status, s.Output())
			}
			s.left(t)
			for _, rec := range records {
				want := desk.Pending
				if rec.Questions[0].Text == tc.text {
					want = tc.state
				}
				if got, err := d.Get(t.Context(), rec.ID); err != nil || got.State != want {
					t.Errorf("%s is %s, want %s; %v", rec.Questions[0].Text, got.State, want, err)
				}
			}
		})
	}
}
