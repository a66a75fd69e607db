//go:build unix

package pane

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/internal/waittest"
)

// looking is the time in which a user reads the screen.
const looking = 700 * time.Millisecond

// types types keys as a user does who reads the screen before and after each.
func types(x *termtest.Terminal, keys ...string) {
	for _, key := range keys {
		x.Play([]termtest.Blow{{After: looking, Keys: key}})
	}
	x.Play([]termtest.Blow{{After: looking}})
}

// answers picks the second option as a user does who reads the screen.
func (s *server) answers(x *termtest.Terminal) {
	x.Until("the answer", func() bool {
		types(x, "2", "\r")
		return s.state() != "pending"
	})
}

// Somebody types to the agent when the pane opens: the agent gets every key, the form in the pane none, and what
// they answer once it has the focus counts. Enter alone answers nothing there, wherever it was meant for.
func TestTypings(t *testing.T) {
	t.Parallel()
	termtest.EachTyping(t, typeAtAgent)
}

// typeAtAgent types to the agent while the pane opens; the last of lone Enters, whose pauses let the pane take the
// focus, once more at the form.
func typeAtAgent(t testing.TB, typing []termtest.Blow, lone bool) {
	s := newServer(t)
	s.tmux("set-environment", "-g", "PANE_FORM", "1")
	x := s.attach(30)
	record := filepath.Join(t.TempDir(), "keys")
	s.tmux("respawn-pane", "-k", "-t", "%0", "stty raw -echo; printf 'agent ready. '; exec cat >'"+record+"'")
	x.WaitFor("agent ready.")
	x.Type("a") // the user has typed to the agent before the pane opens
	shown := s.show(t.Context(), s.inside(), s.rec)
	x.Play(typing)
	x.WaitFor("Which one?")
	s.focused(x, "%1")
	if !lone {
		want, got := "a"+termtest.Typed(typing), ""
		x.Until("every key at the agent", func() bool {
			data, _ := os.ReadFile(record)
			got = string(data)
			return len(got) >= len(want)
		})
		if got != want {
			t.Errorf("the agent got %q", got)
		}
	} else {
		x.Play(typing[len(typing)-1:])
		types(x)
	}
	if got := s.state(); got != "pending" {
		t.Errorf("the question is %s; the screen:\n%s", got, x.Screen())
	}
	s.answers(x)
	s.wants(shown, nil, "answered b")
}

// The form in the pane says that another question waits behind it, and Ctrl+C is
// the question whether to dismiss, not the end of the pane.
func TestTmuxForm(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.tmux("set-environment", "-g", "PANE_FORM", "1")
	x := s.attach(30)
	surface := s.inside()
	first := s.show(t.Context(), surface, s.rec)
	x.WaitFor("Which one?")
	next := s.ask("And which second one?")
	attendance, err := s.desk.Attend(t.Context(), next.ID)
	fatal.If(t, err)
	defer attendance.Release()
	second := s.show(t.Context(), surface, next)
	x.WaitFor("1 more waits")
	if got := s.panes(); got != "%0\n%1" {
		t.Errorf("the panes are %q", got)
	}
	s.focused(x, "%1")
	x.Type("\x03")
	x.WaitFor("Dismiss without answering?")
	types(x) // reads the panel
	x.Type("not now")
	x.Until("the dismissal", func() bool { types(x, "\r"); return s.state() == "dismissed" })
	if err := waittest.Take(t, first); err != nil {
		t.Error(err)
	}
	if rec, _ := s.desk.Get(t.Context(), s.rec.ID); rec.Outcome.Surface != "pane" || rec.Outcome.Reply.Reason != "not now" || rec.Outcome.Took <= 0 {
		t.Errorf("the outcome is %+v", rec.Outcome)
	}
	x.WaitFor("And which second one?")
	s.focused(x, "%2")
	x.Until("the answer", func() bool {
		types(x, "1", "\r")
		rec, _ := s.desk.Get(t.Context(), next.ID)
		return rec.Outcome != nil
	})
	if err := waittest.Take(t, second); err != nil {
		t.Error(err)
	}
}
