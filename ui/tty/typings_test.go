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
			x := start(t, 80, 24, "single", alone, form.env, "TTY_APPEARED=1")
			x.WaitFor(question1)
			x.Play(typing)
			pickSecond(x)
			x.commits(reply(option("database", "sqlite")))
		})
	})
}

// A line that is pasted leads to the review, which an Enter of its own sends; in the full-screen form
// it is nothing.
func TestPastes(t *testing.T) {
	t.Parallel()
	eachForm(t, func(t *testing.T, form forms) {
		pastes := map[string]string{"a line": "2\r", "several": "2\r\r\r", "in brackets": "\x1b[200~2\r\x1b[201~"}
		for name, typed := range pastes {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				x := start(t, 80, 24, "single", alone, form.env, "TTY_OPENED=1")
				x.WaitFor(form.ready)
				x.Paste(typed)
				want := "sqlite"
				if form.env != "" {
					x.WaitFor("Your answer: SQLite")
					x.WaitFor("? helps:")
				} else {
					want = "none"
					x.Play([]termtest.Blow{{After: time.Second, Keys: "3"}}) // an act takes a moment
					x.WaitFor("3 (•)")
				}
				x.Type("\r")
				x.commits(reply(option("database", want)))
			})
		}
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
