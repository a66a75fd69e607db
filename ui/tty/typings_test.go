//go:build unix

package tty

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/termtest"
)

// Somebody types to another program when the form appears, on a real terminal:
// nothing of it is an answer, and what they answer after a pause is the only one.
func TestTypings(t *testing.T) {
	for name, env := range map[string]string{"screen": "", "lines": "TTY_PLAIN=1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			termtest.EachTyping(t, func(t testing.TB, typing []termtest.Blow) {
				x := start(t, 80, 24, "single", `sleep 0.5; exec "$SHOW"`, env, "TTY_APPEARED=1")
				x.Play(typing)
				x.WaitFor(question1)
				answer(x, name == "lines")
				if rep := x.end(); !reflect.DeepEqual(rep.Replies, answered(option("database", "sqlite"))) {
					t.Errorf("committed %+v; the screen:\n%s", rep.Replies, x.Screen())
				}
			})
		})
	}
}

// answer picks the second option as somebody does who has stopped typing: as
// often as it takes on a busy machine.
func answer(x *run, lines bool) {
	for range 20 {
		time.Sleep(time.Second)
		if lines {
			x.Type("\x152\r") // what was left of a line goes
		} else {
			x.Type("2")
			time.Sleep(200 * time.Millisecond)
			x.Type("\r")
		}
		for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if strings.Contains(x.Screen(), "Answer sent.") {
				return
			}
		}
	}
}
