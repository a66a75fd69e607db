//go:build unix

package tty

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

const question1 = "Which database should the shop use?"

// forms are the full-screen form and the line form: how each is called for, and what it shows
// once it takes keys.
type forms struct{ env, ready string }

func eachForm(t *testing.T, test func(t *testing.T, form forms)) {
	t.Helper()
	for name, form := range map[string]forms{"screen": {"", question1}, "plain": {"TTY_PLAIN=1", "Enter a number:"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, form)
		})
	}
}

// The terminal is used only while it is free. Where it is not,
// nothing is drawn, no key is read, and the process is not stopped.
func TestTerminalThatIsNotFree(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"raw", `saved=$(stty -g); stty raw -echo; "$SHOW"; stty "$saved"`, "a full-screen program holds the terminal"},
		{"no echo", `stty -echo; "$SHOW"; stty echo`, "another program holds the terminal (it has switched echo off)"},
		{"background", `set -m; "$SHOW" & wait $!`, "this process is in the background of its terminal"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := start(t, 80, 24, "single", tt.script+`; printf 'done. '; read -r line; echo "got $line"`)
			x.WaitFor("done.")
			x.Type("still here\r")
			x.WaitFor("got still here")
			rep := x.end()
			if !rep.Unavailable || !reflect.DeepEqual(rep.Errs, []string{tt.want}) {
				t.Errorf("Show returned %q, want %q", rep.Errs, tt.want)
			}
			if strings.Contains(x.Output(), "database") {
				t.Errorf("the question was drawn on a terminal that is not free: %q", x.Output())
			}
		})
	}
}

func TestNoControllingTerminal(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	fatal.If(t, err)
	path := filepath.Join(t.TempDir(), "report")
	cmd := exec.Command(self)
	cmd.Env = []string{"TERM=xterm", "GORACE=atexit_sleep_ms=0", "TTY_SHOW=single", "TTY_REPORT=" + path, "GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	rep := (&run{t: t, report: path}).outcome()
	if want := []string{"this process has no controlling terminal"}; !rep.Unavailable || !reflect.DeepEqual(rep.Errs, want) {
		t.Errorf("Show returned %q, want %q", rep.Errs, want)
	}
}

// On a terminal where nothing can be read, no key answers or ends the question, and not the end of input
// either. Once it is large enough the question is shown. What the full-screen form does there ui/form tests.
func TestUnseen(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 1, "single", alone, "TTY_PLAIN=1", "TTY_APPEARED=1")
	x.Expect("asks")
	for _, keys := range []string{"1\r", "\x18\r", "\x04"} {
		x.Play([]termtest.Blow{{After: 650 * time.Millisecond, Keys: keys}})
	}
	x.Resize(80, 24)
	x.Type("\r")
	x.Expect("Which database")
	x.Expect("Enter a number: ")
	x.Type("2\r")
	x.sendLines()
	x.commits(reply(option("database", "sqlite")))
}

// However the context ends, the question is gone, the terminal says why, nothing is committed and the
// terminal is as it was. The form reads no more: the next line belongs to the next program, whole, and half a
// line typed for the question does not.
func TestWithdrawal(t *testing.T) {
	eachForm(t, func(t *testing.T, form forms) {
		for signal, closing := range map[syscall.Signal]string{
			syscall.SIGUSR1: "Already answered on the web page.", syscall.SIGTERM: "the question stays open",
		} {
			t.Run(signal.String(), func(t *testing.T) {
				t.Parallel()
				x := single(t, form.env, "TTY_NEXT=1")
				x.Type("2") // half an answer
				x.Signal(signal)
				x.Expect(closing)
				x.Expect("next\r\n")
				for _, line := range []string{"one", "two", "three"} {
					x.Type(line + "\r")
					x.Expect(line + "\r\n" + line + "\r\n") // the echo, and what cat read
				}
				x.Type("\x04")
				rep := x.end()
				if rep.Replies != nil || rep.Unavailable || rep.Errs[0] == "" {
					t.Errorf("the withdrawn question ended as %+v", rep)
				}
				if rep.Closed != (signal == syscall.SIGUSR1) {
					t.Errorf("Show returned %q, which is not the cause", rep.Errs)
				}
			})
		}
	})
}

// A second question waits its turn on the terminal, in the order of asking.
func TestOneFormAtATime(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, "single+boolean", alone)
	var first, second, last string
	x.Until("one of the questions", func() bool {
		screen := x.Screen()
		switch {
		case strings.Contains(screen, question1):
			first, second, last = "2\r", "Delete 14 files", "n\r" // nothing is preset
		case strings.Contains(screen, "Delete 14 files"):
			first, second, last = "n\r", question1, "1\r"
		}
		return first != ""
	})
	if strings.Contains(x.Screen(), second) {
		t.Error("both questions are on the screen")
	}
	x.Type(first)
	x.WaitFor(second)
	x.Type(last)
	rep := x.end()
	if len(rep.Replies) != 2 || !reflect.DeepEqual(rep.Errs, []string{"", ""}) {
		t.Errorf("%+v", rep)
	}
}

// A question whose context ends while it waits for its turn is never shown.
// Surfaces that share a lock wait for each other.
func TestWaitingForTheLockEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{Lock: NewLock()}
		if _, err := o.Lock.Acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, s := range []ui.Surface{New(o), NewPlain(o)} {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			shown := make(chan error, 1)
			go func() {
				shown <- s.Show(ctx, sample("single"), func(question.Reply) error { t.Error("committed"); return nil })
			}()
			synctest.Wait() // it waits
			gone := errors.New("gone")
			cancel(gone)
			if err := <-shown; !errors.Is(err, gone) {
				t.Errorf("%s: Show returned %v, want the cause of its context", s.Name(), err)
			}
		}
	})
}

// Keys typed before the question was there answer nothing.
func TestTypedAhead(t *testing.T) {
	// What is typed once the question is there is read after what was typed
	// before, and so its effect shows that the latter had none.
	for _, form := range []struct{ name, env, ready, keys, effect string }{
		{"screen", "", "keys", "?", "Keys on this page"},
		{"plain", "TTY_PLAIN=1", "Enter a number:", "9\r", "9 is no option"},
	} {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			x := start(t, 80, 24, "single", `printf 'name? '; read -r name; exec "$SHOW"`, form.env)
			x.WaitFor("name?")
			x.Paste("me\r2\r2\r\r") // at once, or the form would be there
			x.WaitFor(form.ready)
			x.Type(form.keys)
			x.WaitFor(form.effect)
			x.Signal(syscall.SIGTERM)
			if rep := x.end(); rep.Replies != nil {
				t.Errorf("keys typed before the question answered it: %+v", rep.Replies)
			}
		})
	}
}

// A terminal that goes away answers nothing. Both forms end like those of a
// process that got the signal first, if it gets one at all.
func TestHangup(t *testing.T) {
	eachForm(t, func(t *testing.T, form forms) {
		for _, told := range []bool{true, false} {
			t.Run(fmt.Sprint("told ", told), func(t *testing.T) {
				t.Parallel()
				script := alone
				if !told {
					script = `trap '' HUP; ` + alone
				}
				x := start(t, 80, 24, "single", script, form.env)
				x.WaitFor(form.ready)
				x.Hangup()
				x.Wait()
				if rep := x.outcome(); rep.Replies != nil || rep.Unavailable == told {
					t.Errorf("after a hangup: %+v", rep)
				}
			})
		}
	})
}

// Moved to the background while it holds the terminal, the process is not
// stopped, takes no key and changes nothing.
func TestMovedToTheBackground(t *testing.T) {
	eachForm(t, func(t *testing.T, form forms) {
		// The kernel stops no process whose parent is in another session: a
		// shell with job control stands between.
		x := start(t, 80, 24, "single", `set -m; "$SHOW"; echo "ended with $?"`, form.env)
		x.WaitFor(form.ready)
		during := x.Termios()
		fatal.If(t, syscall.Kill(x.Foreground(), syscall.SIGUSR2))
		x.Expect("elsewhere")
		x.Type("2\r")
		x.Until("the report", func() bool { _, err := os.Stat(x.report); return err == nil })
		if x.Termios() != during {
			t.Error("the settings of a terminal that is another program's were changed")
		}
		x.Wait()
		if rep := x.outcome(); rep.Replies != nil || !rep.Unavailable {
			t.Errorf("in the background: %+v", rep)
		}
	})
}

// Ctrl+C, and a form that breaks, leave the terminal usable and answer nothing. A form has colours, and none where the
// user wants none.
func TestNoAnswer(t *testing.T) {
	for _, tt := range []struct {
		trouble, keys, env string
		colours            bool
	}{
		{"none", "\x03", "COLORTERM=truecolor", true},
		{"panic", "2\r", "NO_COLOR=1", false},
	} {
		t.Run(tt.trouble, func(t *testing.T) {
			t.Parallel()
			x := single(t, "TTY_TROUBLE="+tt.trouble, tt.env)
			x.WaitFor("ctrl+x")
			x.Type(tt.keys)
			rep := x.end()
			if rep.Replies != nil || rep.Unavailable || rep.Interrupted == strings.Contains(rep.Errs[0], "panic") {
				t.Errorf("it ended with %+v", rep)
			}
			if strings.Contains(x.Output(), "\x1b[38;") != tt.colours {
				t.Errorf("wrote %q", x.Output())
			}
		})
	}
}

// Two forms that begin at the same moment are not on the terminal together.
func TestSecondForm(t *testing.T) {
	t.Parallel()
	x := single(t, "TTY_TROUBLE=second")
	x.Type("2\r")
	x.commits(reply(option("database", "sqlite")))
}

// A machine that is too busy for the form to end in time leaves nothing of it on
// the terminal, and neither does a process that ends without waiting for it.
func TestTerminalIsLeftInAnyCase(t *testing.T) {
	for _, trouble := range []string{"busy", "rescue"} {
		t.Run(trouble, func(t *testing.T) {
			t.Parallel()
			x := single(t, "TTY_TROUBLE="+trouble)
			if trouble == "busy" {
				x.Signal(syscall.SIGUSR2)
				x.Expect("jammed")
				x.Type("2")
				x.Expect("too busy")
			}
			x.Signal(syscall.SIGTERM)
			x.Wait()
			x.left()
		})
	}
}

// A store that does not return cannot hold the terminal.
func TestStuckStore(t *testing.T) {
	eachForm(t, func(t *testing.T, form forms) {
		for _, key := range []string{"", "\x03"} { // the context ends, or the user leaves
			t.Run(fmt.Sprintf("%q", key), func(t *testing.T) {
				t.Parallel()
				x := start(t, 80, 24, "single", alone, form.env, "TTY_TROUBLE=stuck")
				x.WaitFor(form.ready)
				x.Type("2\r")
				x.sendLines()
				x.Expect("committing")
				if key == "" {
					x.Signal(syscall.SIGTERM)
				}
				x.Type(key)
				x.WaitFor("it may still count")
				if rep := x.end(); rep.Replies != nil || strings.Contains(x.Output(), "stays open") {
					t.Errorf("with a stuck store: %+v, %s", rep, x.Output())
				}
			})
		}
	})
}

// A line whose end the terminal may have cut is no answer.
func TestLongLine(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, "text", alone, "TTY_PLAIN=1", "TTY_OPENED=1")
	x.Expect("Your answer [shop]: ")
	long := strings.Repeat("x", maxLine-1)
	x.Type(long + "x\r")
	x.Expect("That line is too long")
	x.Expect("Your answer [shop]: ")
	x.Type(long + "\r")
	x.sendLines()
	x.commits(reply(ownWords("name", long)))
}

// Where a full screen cannot be had, or is of no use, the line form asks.
func TestLineFormInstead(t *testing.T) {
	for _, tt := range []struct {
		name       string
		cols, rows int
		env        string
	}{
		{"dumb terminal", 80, 24, "TERM=dumb"},
		{"screen reader", 80, 24, "ACCESSIBLE=1"},
		{"no size", 0, 0, ""},
		{"too small", 20, 4, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := start(t, tt.cols, tt.rows, "single", alone, tt.env)
			x.Expect("Enter a number: ")
			x.Type("1\r")
			x.sendLines()
			x.commits(reply(option("database", "pg")))
			if strings.ContainsRune(x.Output(), '\x1b') {
				t.Errorf("escape codes: %q", x.Output())
			}
		})
	}
}
