//go:build unix

package tty

import (
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/termtest"
)

// The user types to another program when the form appears, on a real terminal:
// nothing of it is an answer, and what they answer after a pause is the only one.
func TestTypings(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, form forms) {
		termtest.EachTyping(t, func(t testing.TB, typing []termtest.Blow) {
			x := start(t, 80, 24, "single", `sleep 0.5; exec "$SHOW"`, form.env, "TTY_APPEARED=1")
			x.Play(typing)
			x.WaitFor(question1)
			pickSecond(x)
			x.commits(reply(option("database", "sqlite")))
		})
	})
}

// Enter that was meant for another program, after a pause, answers nothing on a real
// terminal either.
func TestLoneEnters(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, form forms) {
		termtest.EachLoneEnter(t, func(t testing.TB, typing []termtest.Blow) {
			x := single(t, form.env, "TTY_APPEARED=1")
			x.Play(typing)
			pickSecond(x)
			x.commits(reply(option("database", "sqlite")))
		})
	})
}

// An option and Enter that are pasted are nothing to the full-screen form, marked as a paste or not.
func TestPastes(t *testing.T) {
	t.Parallel()
	x := single(t, "TTY_OPENED=1")
	for _, paste := range []string{"2\r", "2\r\r\r", "\x1b[200~2\r\x1b[201~"} {
		x.Paste(paste)
		x.Play([]termtest.Blow{{After: time.Second}}) // an act takes a moment
	}
	x.Type("3")
	x.WaitFor("3 (•)")
	x.Type("\r")
	x.commits(reply(option("database", "none")))
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
