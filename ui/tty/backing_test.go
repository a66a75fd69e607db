//go:build unix

package tty

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"
	"github.com/muesli/cancelreader"
	"go.uber.org/goleak"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
)

// What was being typed when the process was killed, or told to end, is offered again, and sent
// only after the user went through it.
func TestDraftSurvives(t *testing.T) {
	for _, end := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(end.String(), func(t *testing.T) {
			t.Parallel()
			a := put(t, "single", 0)
			x := start(t, 80, 24, "single", alone, a.env()...)
			x.WaitFor(question1)
			x.Type("0DuckDB")
			x.WaitFor("DuckDB")
			if end == syscall.SIGKILL {
				a.awaitDraft("DuckDB")
			}
			x.Signal(end)
			x.Wait()

			x = start(t, 80, 24, "single", alone, a.env()...)
			x.WaitFor("Your draft is back")
			x.Type("\x1b[A\x1b[B\r") // Enter alone answers nothing
			x.WaitFor("Answer sent.")
			x.commits(reply(ownWords("database", "DuckDB")))
		})
	}
}

// What a full-screen form has kept and lines do not show stays kept.
func TestPlainKeepsWhatItDoesNotShow(t *testing.T) {
	a := put(t, "review", 0)
	typed := question.Reply{Reason: "not now", Answers: []question.Answer{ownWords("database", "DuckDB", "pg")}}
	for keep, want := range map[string]question.Reply{
		"=\n": {Reason: "not now", Answers: answered(ownWords("database", "DuckDB", "pg"), option("features", "log"))[0].Answers},
		"2\n": {Reason: "not now", Answers: answered(ownWords("database", "DuckDB", "sqlite"), option("features", "log"))[0].Answers},
	} {
		a.keep(typed)
		var out string
		synctest.Test(t, func(t *testing.T) {
			out, _ = converse(t.Context(), slowly(keep+"2\n"), form.Backing{Desk: a.Desk, Rec: a.Record}, gate.Appeared, nil)
		})
		if got, _, err := a.Draft(t.Context(), a.ID); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("kept %+v, %v, want %+v:\n%s", got, err, want, out)
		}
	}
}

// A form hears of its record, also that its asker leaves; nobody follows a record once its form
// has gone.
func TestFollowEnds(t *testing.T) {
	a := put(t, "single", time.Hour)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	told := make(chan tea.Msg)
	stop := follow(t.Context(), form.Backing{Desk: a.Desk, Rec: a.Record}, func(msg tea.Msg) { told <- msg })
	if got := (<-told).(form.Status); got.Deadline.IsZero() || !got.Attended || got.Waiting != 0 {
		t.Errorf("told %+v, want a deadline, that the asker waits, and nothing else", got)
	}
	a.attendance.Release()
	for (<-told).(form.Status).Attended { // other events of the record
	}
	stop()
}

// A process that was stopped and continued takes its terminal again, whatever the
// shell has made of it meanwhile.
func TestStoppedAndContinued(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, "single", `set -m; before=$(stty -g); "$SHOW"; stty "$before"; printf '\033[?1049l\033[2J\033[Hstopped\n'; read -r line; echo "got $line"; fg`)
	x.WaitFor(question1)
	x.Type("3")
	x.WaitFor("3 (•)") // so that what the terminal replied is read, too
	fatal.If(t, syscall.Kill(-x.Foreground(), syscall.SIGSTOP))
	x.WaitFor("stopped")
	x.Type("hello\r")
	x.Expect("got hello")
	x.WaitFor(question1)
	if !x.FullScreen() || strings.Contains(x.Screen(), "stopped") {
		t.Errorf("the form did not take the screen again:\n%s", x.Screen())
	}
	x.Type("2\r")
	x.commits(reply(option("database", "sqlite")))
}

// The line form leaves the terminal to the shell as it was found, also to one that
// does not see to that itself, and says again what it asks.
func TestPlainStoppedAndContinued(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, "single", `set -m; "$SHOW"; echo stopped; read -r line; echo "got $line"; fg`, "TTY_PLAIN=1", "TTY_OPENED=1")
	x.Expect("Enter a number: ")
	x.Type("2")
	x.Expect("2")
	x.Type("\x1a")
	x.Expect("stopped")
	if x.Termios() != x.Before() {
		t.Errorf("the shell gets the terminal as %+v, not %+v", x.Termios(), x.Before())
	}
	x.Type("hello\r")
	x.Expect("got hello")
	x.Expect("Enter a number: ") // the kernel drops half a line with the signal
	x.Type("2\r")
	x.sendLines()
	x.commits(reply(option("database", "sqlite")))
}

// Between two prompts the terminal shows no keys: Ctrl+Z stops nothing there, as a shell might
// find it so.
func TestPlainStopBetweenPrompts(t *testing.T) {
	t.Parallel()
	for {
		const shell = `set -m; "$SHOW"; echo "stopped with $(stty -a | grep -c -- -echo)"; fg`
		x := start(t, 80, 24, "single", shell, "TTY_PLAIN=1")
		x.Expect("in your own words")
		x.Type("\x1a")
		x.Expect("Enter a number: ")
		x.Type("2\r")
		x.Until("the review, or a stop", func() bool {
			return strings.Contains(x.Output(), "? helps: ") || strings.Contains(x.Output(), "stopped with")
		})
		if strings.Contains(x.Output(), "Enter a number: ^Z") {
			continue // the machine is busy: the key came after the prompt
		}
		x.sendLines()
		x.commits(reply(option("database", "sqlite")))
		return
	}
}

// TestInterruptEndsRead interrupts a read that has begun on a terminal with nothing to read, as
// after the kernel called it readable in the moment in which its unread keys were dropped.
func TestInterruptEndsRead(t *testing.T) {
	master, slave, err := pty.Open()
	fatal.If(t, err)
	defer func() { _, _ = master.Close(), slave.Close() }()
	if errors.Is(slave.SetReadDeadline(time.Time{}), os.ErrNoDeadline) {
		t.Skip("terminals have no deadlines on this system")
	}
	reader, err := cancelreader.NewReader(strings.NewReader("")) // of slave it would make that blocking
	fatal.If(t, err)
	k := keys{&terminal{File: slave}, reader}
	ended := make(chan error)
	go func() {
		_, err := k.terminal.Read(make([]byte, 1))
		ended <- err
	}()
	k.interrupt()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the read that was interrupted has read something")
		}
	case <-time.After(10 * time.Second):
		t.Error("the read did not end")
	}
}

// The host is killed while a form is open, and its shell has the terminal again before the form
// can end, or the command after it in a list: the screen and the cursor come back. The settings
// are the shell's own.
func TestHostKilled(t *testing.T) {
	for _, next := range []string{`echo taken; read -r line; echo "got $line"`,
		`sh -c 'echo taken; sed "s/^/got /;q"'`} {
		t.Run(next, func(t *testing.T) {
			t.Parallel()
			x := start(t, 80, 24, "single", `set -m; before=$(stty -g); sh -c '"$SHOW" & wait'; stty "$before"; `+
				next)
			x.WaitFor(question1)
			group := x.Foreground()
			fatal.If(t, syscall.Kill(group, syscall.SIGKILL))
			x.Expect("taken")
			fatal.If(t, syscall.Kill(-group, syscall.SIGUSR1))
			if !waittest.Until(waittest.Patience, func() bool { _, err := os.Stat(x.report); return err == nil }) {
				t.Fatal("the form does not end")
			}
			x.Type("hello\r")
			x.Expect("got hello")
			if x.FullScreen() {
				t.Errorf("the shell is left on the form's screen:\n%s", x.Screen())
			}
			x.end()
		})
	}
}
