//go:build unix

package tty

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/termtest"
)

// The user types to another program when the form appears, on a real terminal:
// nothing of it is an answer, and what they answer after a pause is the only one.
func TestTypings(t *testing.T) {
	for name, env := range map[string]string{"screen": "", "lines": "TTY_PLAIN=1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			termtest.EachTyping(t, func(t testing.TB, typing []termtest.Blow) {
				x := start(t, 80, 24, "single", `sleep 0.5; exec "$SHOW"`, env, "TTY_APPEARED=1")
				x.Play(typing)
				x.WaitFor(question1)
				pickSecond(x, name == "lines")
				if rep := x.end(); !reflect.DeepEqual(rep.Replies, answered(option("database", "sqlite"))) {
					t.Errorf("committed %+v; the screen:\n%s", rep.Replies, x.Screen())
				}
			})
		})
	}
}

// Enter that was meant for another program, after a pause, answers nothing on a real
// terminal either.
func TestLoneEnters(t *testing.T) {
	for name, env := range map[string]string{"screen": "", "lines": "TTY_PLAIN=1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			termtest.EachLoneEnter(t, func(t testing.TB, typing []termtest.Blow) {
				x := start(t, 80, 24, "single", alone, env, "TTY_APPEARED=1")
				x.WaitFor(question1)
				x.Play(typing)
				pickSecond(x, name == "lines")
				if rep := x.end(); !reflect.DeepEqual(rep.Replies, answered(option("database", "sqlite"))) {
					t.Errorf("committed %+v; the screen:\n%s", rep.Replies, x.Screen())
				}
			})
		})
	}
}

// A line that is pasted, by the terminal itself or by tmux in any of its ways, leads to
// the review, which an Enter of its own sends.
func TestPastes(t *testing.T) {
	pastes := map[string]func(t *testing.T, x *run, socket string){
		"terminal":                   func(_ *testing.T, x *run, _ string) { x.Paste("2\r") },
		"terminal, several lines":    func(_ *testing.T, x *run, _ string) { x.Paste("2\r\r\r") },
		"terminal, a line feed":      func(_ *testing.T, x *run, _ string) { x.Paste("2\n") },
		"terminal, in brackets":      func(_ *testing.T, x *run, _ string) { x.Paste("\x1b[200~2\r\x1b[201~") },
		"tmux paste-buffer":          func(t *testing.T, _ *run, socket string) { inTmux(t, socket, "paste-buffer") },
		"tmux paste-buffer -p":       func(t *testing.T, _ *run, socket string) { inTmux(t, socket, "paste-buffer", "-p") },
		"tmux paste-buffer -r":       func(t *testing.T, _ *run, socket string) { inTmux(t, socket, "paste-buffer", "-r") },
		"tmux send-keys":             func(t *testing.T, _ *run, socket string) { inTmux(t, socket, "send-keys", "2", "Enter") },
		"tmux, from the terminal":    func(_ *testing.T, x *run, _ string) { x.Paste("2\r") },
		"tmux, from it, in brackets": func(_ *testing.T, x *run, _ string) { x.Paste("\x1b[200~2\r\x1b[201~") },
	}
	for name, paste := range pastes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, socket := tmuxed(t, name)
			x := start(t, 80, 24, "single", script, "TTY_PLAIN=1", "TTY_OPENED=1", "SOCKET="+socket, "LC_ALL=C.UTF-8")
			x.WaitFor("Enter a number:")
			paste(t, x, socket)
			x.WaitFor("Your answer: SQLite")
			x.WaitFor("? helps:")
			x.Type("\r")
			x.Wait()
			if rep := x.outcome(); !reflect.DeepEqual(rep.Replies, answered(option("database", "sqlite"))) {
				t.Errorf("committed %+v", rep.Replies)
			}
		})
		t.Run("screen "+name, func(t *testing.T) {
			t.Parallel()
			script, socket := tmuxed(t, name)
			x := start(t, 80, 24, "single", script, "SOCKET="+socket, "LC_ALL=C.UTF-8")
			x.WaitFor(question1)
			paste(t, x, socket)
			x.Play([]termtest.Blow{{After: time.Second, Keys: "3"}}) // an act takes a moment
			x.WaitFor("3 (•)")
			x.Type("\r")
			x.Wait()
			if rep := x.outcome(); !reflect.DeepEqual(rep.Replies, answered(option("database", "none"))) {
				t.Errorf("committed %+v", rep.Replies)
			}
		})
	}
}

// tmuxed is the script that runs the program, in tmux where the test's name says so,
// and then the socket of its server.
func tmuxed(t *testing.T, name string) (script, socket string) {
	t.Helper()
	if !strings.HasPrefix(name, "tmux") {
		return alone, ""
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("needs tmux")
	}
	dir, err := os.MkdirTemp("", "tmux") // short: a socket's path has little room
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return `exec tmux -u -S "$SOCKET" -f /dev/null new-session "$SHOW"`, filepath.Join(dir, "s")
}

// inTmux runs a command of the tmux server at a socket, with "2" and a line break in
// its buffer.
func inTmux(t *testing.T, socket string, command ...string) {
	t.Helper()
	for _, args := range [][]string{{"set-buffer", "2\n"}, command} {
		if out, err := exec.Command("tmux", append([]string{"-S", socket}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("tmux %v: %v, %s", args, err, out)
		}
	}
}

// pickSecond picks the second option as a user does who has stopped typing: as
// often as it takes on a busy machine.
func pickSecond(x *run, lines bool) {
	blows := []termtest.Blow{{After: time.Second, Keys: "2"}, {After: 200 * time.Millisecond, Keys: "\r"}}
	if lines {
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
