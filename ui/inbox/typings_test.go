//go:build unix

package inbox

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/termtest"
)

// A user who has answered one question and types on, to another program, or presses Enter after a pause,
// answers no other one, and what they answer after a pause counts.
func TestTypings(t *testing.T) {
	t.Parallel()
	termtest.EachTyping(t, typeOn)
}

// typeOn answers one question, types, and answers the second after a pause.
func typeOn(t testing.TB, typing []termtest.Blow, _ bool) {
	d, dir := newDesk(t)
	first := ask(t, d, database())
	second := ask(t, d, database())
	x := start(t, dir)
	x.WaitFor("Which database")
	ended := func(rec desk.Record) func() bool {
		return func() bool { rec, err := d.Get(t.Context(), rec.ID); return err == nil && rec.Outcome != nil }
	}
	x.answer(ended(first))
	x.Play(typing)
	<-time.After(time.Second) // an act takes a moment
	if ended(second)() {
		t.Errorf("the second question has ended; the screen:\n%s", x.Screen())
	}
	x.answer(ended(second))
	for _, id := range []string{first.ID, second.ID} {
		rec, err := d.Get(t.Context(), id)
		if err != nil || rec.Reply() == nil || len(rec.Reply().Answers) != 1 ||
			!slices.Equal(rec.Reply().Answers[0].Selected, []string{"sqlite"}) || rec.Outcome.Took <= 0 {
			t.Errorf("answered %+v, %v", rec.Outcome, err)
		}
	}
}

// answer opens the question under the cursor and picks its second option, with
// pauses as somebody makes who looks at the screen.
func (x *run) answer(done func() bool) {
	x.t.Helper()
	for range 30 {
		<-time.After(time.Second)
		switch {
		case done():
			return
		case strings.Contains(x.Screen(), "esc back · ctrl+g editor"), strings.Contains(x.Screen(), "esc show all"): // keys of the sentence did that
			x.Type("\x1b")
		case strings.Contains(x.Screen(), "enter send"):
			x.Type("2")
			<-time.After(200 * time.Millisecond)
			x.Type("\r")
		default:
			x.Type("\r")
		}
	}
	x.t.Errorf("not answered; the screen:\n%s", x.Screen())
}
