//go:build unix

package tty

import (
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/termtest"
)

// The user types to another program when the form appears, on a real terminal, or sends there what was typed
// before, after a pause: nothing of it is an answer, and what they answer after a pause is the only one.
func TestTypings(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, form forms) {
		termtest.EachTyping(t, func(t testing.TB, typing []termtest.Blow, lone bool) {
			x := start(t, 80, 24, "single", `sleep 0.5; exec "$SHOW"`, form.env, "TTY_APPEARED=1")
			if lone { // for a question that has been there for a while
				x.WaitFor(question1)
			}
			x.Play(typing)
			x.WaitFor(question1)
			pickSecond(x)
			x.commits(reply(option("database", "sqlite")))
		})
	})
}

// pickSecond picks the second option as a user does who has stopped typing: as
// often as it takes on a busy machine.
func pickSecond(x *run) {
	blows := []termtest.Blow{{After: time.Second, Keys: "2"}, {After: 200 * time.Millisecond, Keys: "\r"}}
	if !x.FullScreen() {
		// What was left of a line goes; the second Enter sends.
		blows = []termtest.Blow{{After: time.Second, Keys: "\x152\r"}, {After: time.Second, Keys: "\r"}}
	}
	for range 20 {
		x.Play(blows)
		if x.Within(2*time.Second, func() bool { return strings.Contains(x.Screen(), "Answer sent.") }) {
			return
		}
	}
}
