//go:build unix

package inbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/local"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/ui/gate"
)

// TestMain lets the test binary stand in for the program, so that the race
// detector is on there too.
func TestMain(m *testing.M) {
	if dir := os.Getenv("INBOX_DIR"); dir != "" {
		os.Exit(program(dir))
	}
	goleak.VerifyTestMain(m)
}

// program is an inbox as the command runs it.
func program(dir string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	signal.Ignore(syscall.SIGHUP) // which may be later than the end of the input
	store := local.Open(dir)
	defer func() { _ = store.Close() }()
	err := Run(ctx, Options{
		Desk: desk.New(store, desk.Options{}), Getenv: os.Getenv,
		In: os.Stdin, Out: os.Stdout,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// run is an inbox on a terminal of its own.
type run struct {
	t testing.TB
	*termtest.Terminal
}

func newDesk(t testing.TB) (*desk.Desk, string) {
	t.Helper()
	dir := t.TempDir()
	return desktest.Open(t, dir), dir
}

func start(t testing.TB, dir string, environ ...string) *run {
	t.Helper()
	return startBy(t, exec.Command(os.Args[0]), dir, environ...)
}

func startBy(t testing.TB, cmd *exec.Cmd, dir string, environ ...string) *run {
	t.Helper()
	cmd.Env = append([]string{"TERM=xterm-256color", "INBOX_DIR=" + dir, "GORACE=atexit_sleep_ms=0"}, environ...)
	return &run{t: t, Terminal: termtest.Start(t, cmd, 80, 24)}
}

func ask(t testing.TB, d *desk.Desk, q question.Question) desk.Record {
	t.Helper()
	rec, attendance, err := d.Submit(t.Context(), desk.Request{
		Set: question.Set{Questions: []question.Question{q}}, Session: "s",
		Asker: desk.Asker{Client: "claude-code", Directory: "/home/ada/shop", Via: "mcp"},
	})
	fatal.If(t, err)
	t.Cleanup(attendance.Release)
	return rec
}

// left checks that the inbox ended with this status and left the terminal as
// it was.
func (x *run) left(status int) {
	x.t.Helper()
	if got := x.Wait(); got != status {
		x.t.Errorf("the exit status is %d, want %d:\n%s", got, status, x.Screen())
	}
	x.CheckLeft()
}

// enter presses Enter as a hand does that has let go of it before: sooner, it is
// a repeat.
func (x *run) enter() {
	x.t.Helper()
	<-time.After(gate.Again)
	x.Type("\r")
}

// TestProgram: a question comes in with a ring, is answered, and the terminal
// is left as it was found.
func TestProgram(t *testing.T) {
	d, dir := newDesk(t)
	x := start(t, dir)
	x.WaitFor("Nothing waits for you.")
	if names, err := d.Present(t.Context(), ""); err != nil || len(names) != 1 || names[0] != Name {
		t.Errorf("present are %q, %v", names, err)
	}
	x.Type("\x1a") // which stops no inbox that no shell has started
	rec := ask(t, d, database())
	x.WaitFor("Which database")
	x.Expect("\a")
	x.enter()
	x.WaitFor("( ) SQLite")
	x.Type("2")
	x.WaitFor("(•) SQLite")
	x.enter()
	x.WaitFor("Answer sent.")
	got, err := d.Get(t.Context(), rec.ID)
	if err != nil || got.State != desk.Answered {
		t.Errorf("the record is %s, %v", got.State, err)
	}
	x.Quiet()
	x.Type("q")
	x.left(0)
	if names, err := d.Present(t.Context(), ""); err != nil || len(names) != 0 {
		t.Errorf("still present are %q, %v", names, err)
	}
}

// TestEnds: whatever ends the inbox while something is being typed, the
// question stays open, what was typed is kept, and the terminal is as it was.
func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		end    func(x *run)
		status int
	}{
		{"ctrl+c", func(x *run) { x.Type("\x03") }, 0},
		{"terminated", func(x *run) { x.Signal(syscall.SIGTERM) }, 1},
		{"hung up", func(x *run) { x.Hangup() }, -1},
		{"killed", nil, -1}, // which leaves the terminal to nobody
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, dir := newDesk(t)
			rec := ask(t, d, name())
			kept := func() bool {
				r, _, err := d.Draft(t.Context(), rec.ID)
				return err == nil && len(r.Answers) == 1 && r.Answers[0].Custom == "orders"
			}
			x := start(t, dir)
			x.WaitFor("What is the service")
			x.enter()
			x.WaitFor("ctrl+l list")
			x.Type("orders")
			x.WaitFor("orders")
			if tt.end == nil {
				waittest.Until(termtest.Deadline, kept)
				tt.end = func(x *run) { x.Signal(syscall.SIGKILL) }
			}
			tt.end(x)
			if tt.status < 0 {
				x.Wait()
			} else {
				x.left(tt.status)
			}
			if !kept() {
				t.Error("the draft is not kept")
			}
			if got, err := d.Get(t.Context(), rec.ID); err != nil || got.State != desk.Pending {
				t.Errorf("the record is %s, %v", got.State, err)
			}
		})
	}
}

// TestEditorTooLate: another process answers while an editor is open on the answer. The user
// goes on writing, and learns of it when the editor closes.
func TestEditorTooLate(t *testing.T) {
	d, dir := newDesk(t)
	rec := ask(t, d, name())
	editor := filepath.Join(t.TempDir(), "editor")
	const script = "#!/bin/sh\nprintf 'editing. '\nread -r line\necho \"$line\" >\"$1\"\n"
	fatal.If(t, os.WriteFile(editor, []byte(script), 0o700))
	x := start(t, dir, "PATH="+os.Getenv("PATH"), "EDITOR="+editor)
	x.WaitFor("What is the service")
	x.enter()
	x.WaitFor("editor")
	x.Type("\x07")
	x.WaitFor("editing.")
	elsewhere := question.Reply{Answers: []question.Answer{answerText("name", "orders")}}
	if _, err := d.Reply(t.Context(), rec.ID, elsewhere, desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	x.Type("long thoughts\r")
	x.WaitFor("Already answered in a terminal.")
	x.Type("\x03")
	x.left(0)
}

// TestNoTerminal: where an inbox cannot be, or would say nothing to a screen reader, it says so and what to do
// instead.
func TestNoTerminal(t *testing.T) {
	for setting, says := range map[string]string{"TERM=dumb": `TERM is "dumb"`, "ACCESSIBLE=1": "ACCESSIBLE is set"} {
		_, dir := newDesk(t)
		x := start(t, dir, setting)
		x.left(1)
		out := strings.Join(strings.Fields(x.Output()), " ")
		const instead = "`mcp-askuser pending` lists what waits, `mcp-askuser answer` asks it line by line"
		if !strings.Contains(out, says) || !strings.Contains(out, instead) {
			t.Errorf("it says %q", out)
		}
	}
}

// While a shell has stopped the inbox, no agent believes that it is seen.
func TestStopped(t *testing.T) {
	d, dir := newDesk(t)
	const script = `set -m; "$0"; echo stopped; read -r line; fg`
	x := startBy(t, exec.Command("sh", "-c", script, os.Args[0]), dir, "PATH="+os.Getenv("PATH"))
	x.WaitFor("Nothing waits for you.")
	x.Type("\x1a")
	x.WaitFor("stopped")
	if names, err := d.Present(t.Context(), ""); err != nil || len(names) != 0 {
		t.Errorf("present are %q, %v", names, err)
	}
	x.Type("\r")
	x.WaitFor("Nothing waits for you.")
	known := func() bool { names, _ := d.Present(t.Context(), ""); return len(names) == 1 }
	if !waittest.Until(termtest.Deadline, known) {
		t.Error("the inbox that continues is not present")
	}
	x.Type("q")
	x.left(0)
}
