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

// A line that is pasted, by the terminal itself or by tmux in any of its ways, leads to
// the review, which an Enter of its own sends; in the full-screen form it is nothing.
func TestPastes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typed string   // into the terminal
		tmux  []string // or a command of the tmux server
	}{
		"terminal":                {typed: "2\r"},
		"terminal, several lines": {typed: "2\r\r\r"},
		"terminal, in brackets":   {typed: "\x1b[200~2\r\x1b[201~"},
		"tmux paste-buffer":       {tmux: []string{"paste-buffer"}},
		"tmux paste-buffer -p":    {tmux: []string{"paste-buffer", "-p"}},
		"tmux send-keys":          {tmux: []string{"send-keys", "2", "Enter"}},
	} {
		t.Run(name, func(t *testing.T) {
			eachForm(t, func(t *testing.T, form forms) {
				script, socket := alone, ""
				if tt.tmux != nil {
					script, socket = tmuxed(t)
				}
				x := start(t, 80, 24, "single", script, form.env, "TTY_OPENED=1", "SOCKET="+socket, "LC_ALL=C.UTF-8")
				x.WaitFor(form.ready)
				if tt.tmux != nil {
					inTmux(t, socket, tt.tmux)
				} else {
					x.Paste(tt.typed)
				}
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
				x.Wait()
				if rep := x.outcome(); !reflect.DeepEqual(rep.Replies, answered(option("database", want))) {
					t.Errorf("committed %+v", rep.Replies)
				}
			})
		})
	}
}

// tmuxed is the script that runs the program in tmux, and the socket of its server.
func tmuxed(t *testing.T) (script, socket string) {
	t.Helper()
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
func inTmux(t *testing.T, socket string, command []string) {
	t.Helper()
	for _, args := range [][]string{{"set-buffer", "2\n"}, command} {
		if out, err := exec.Command("tmux", append([]string{"-S", socket}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("tmux %v: %v, %s", args, err, out)
		}
	}
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
