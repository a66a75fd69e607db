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

	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/ui"
)

const question1 = "Which database should the shop use?"

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
	if err != nil {
		t.Fatal(err)
	}
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

func TestFullScreen(t *testing.T) {
	for _, tt := range []struct {
		name, sample string
		cols, rows   int
		steps        []step // what the screen must show, and the keys then
		want         []question.Reply
		closing      string
	}{
		{"single", "single", 80, 24, []step{{question1, "2\r"}}, answered(option("database", "sqlite")), "Answer sent."},
		{"boolean", "boolean", 80, 24, []step{{"Delete 14 files", "n\r"}}, answered(option("sure", question.NoID)), "Answer sent."},
		{"text", "text", 80, 24, []step{{"What is the project called?", "\x15"}, {"corner-shop", "kiosk"}, {"kiosk", "\r"}}, answered(ownWords("name", "kiosk")), "Answer sent."},
		{"narrow", "single", 40, 10, []step{{question1, "2\r"}}, answered(option("database", "sqlite")), "Answer sent."},
		{"narrow and Chinese", "chinese", 40, 10, []step{{"请选择", "2\r"}}, answered(option("db", "lite")), "Answer sent."},
		{"dismissed", "single", 80, 24, []step{{question1, "\x18"}, {"Dismiss without answering", "\r"}}, []question.Reply{{Dismissed: true}}, "Dismissed."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := start(t, tt.cols, tt.rows, tt.sample, alone)
			for _, s := range tt.steps {
				x.WaitFor(s.prompt)
				x.Type(s.keys)
			}
			x.WaitFor(tt.closing)
			rep := x.end()
			if !reflect.DeepEqual(rep.Replies, tt.want) || !reflect.DeepEqual(rep.Errs, []string{""}) {
				t.Errorf("committed %+v and returned %q, want %+v", rep.Replies, rep.Errs, tt.want)
			}
		})
	}
}

// A sentence that is being typed when the form appears by itself answers nothing,
// and the answer after it counts.
func TestTypedElsewhere(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, "single", alone, "TTY_APPEARED=1")
	x.WaitFor(question1)
	x.Type("make it 3 times as fast\r")
	x.Quiet()
	x.Type("2\r")
	x.WaitFor("Answer sent.")
	if rep := x.end(); !reflect.DeepEqual(rep.Replies, answered(option("database", "sqlite"))) {
		t.Errorf("committed %+v", rep.Replies)
	}
}

// On a terminal where nothing can be read, no key answers or ends the question, in either
// form, and not the end of input either. Once it is large enough the question is shown.
func TestUnseen(t *testing.T) {
	for _, tt := range []struct {
		name       string
		cols, rows int
		env        string
	}{
		{"full screen on 1×1", 1, 1, "X="},
		{"full screen on 5×3", 5, 3, "X="},
		{"lines on 1×1", 1, 1, "TTY_PLAIN=1"},
		{"lines on 80×1", 80, 1, "TTY_PLAIN=1"},
		{"dumb terminal on 5×3", 5, 3, "TERM=dumb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := start(t, tt.cols, tt.rows, "single", alone, tt.env, "TTY_APPEARED=1")
			x.Until("the form", func() bool { return x.FullScreen() || strings.Contains(x.Output(), "asks") })
			for _, keys := range []string{"\r", "1\r", "\x18", "\r", "\x04"} {
				x.Play([]termtest.Blow{{After: 650 * time.Millisecond, Keys: keys}})
			}
			x.Resize(80, 24)
			if x.FullScreen() {
				x.WaitFor(question1)
				x.Quiet()
			} else {
				x.Type("\r")
				x.Expect("Which database")
				x.Expect("Enter a number: ")
			}
			x.Type("2\r")
			x.sendLines()
			if rep := x.end(); !reflect.DeepEqual(rep.Replies, answered(option("database", "sqlite"))) {
				t.Errorf("%+v", rep)
			}
		})
	}
}

// What is typed right after the key that asks whether to dismiss is the reason, and
// Enter dismisses, also in a form that appeared by itself. No letter asks there: it may
// begin a word.
func TestDismissalKeepsWhatIsTyped(t *testing.T) {
	for _, reason := range []string{"", "not now"} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			x := start(t, 80, 24, "single", alone, "TTY_APPEARED=1")
			x.WaitFor("ctrl+x dismiss")
			x.Type("x")
			x.WaitFor("waiting for a pause")
			x.Quiet()
			typing := []termtest.Blow{{Keys: "\x18"}}
			for _, c := range reason {
				typing = append(typing, termtest.Blow{After: 130 * time.Millisecond, Keys: string(c)})
			}
			x.Play(append(typing, termtest.Blow{After: 250 * time.Millisecond, Keys: "\r"}))
			x.WaitFor("Dismissed.")
			if rep := x.end(); !reflect.DeepEqual(rep.Replies, []question.Reply{{Dismissed: true, Reason: reason}}) {
				t.Errorf("committed %+v", rep.Replies)
			}
		})
	}
}

// Every line of a form with emoji has both its ends in tmux, which counts their
// parts where others count them whole.
func TestEmojiInTmux(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("needs tmux")
	}
	t.Parallel()
	dir, err := os.MkdirTemp("", "tmux") // short: a socket's path has little room
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	x := start(t, 80, 24, "emoji", `exec tmux -u -S "$SOCKET" -f /dev/null new-session "$SHOW"`, "SOCKET="+socket, "LC_ALL=C.UTF-8")
	x.WaitFor("joined")
	shown, err := exec.Command("tmux", "-u", "-S", socket, "capture-pane", "-p").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(shown)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "│") != strings.HasSuffix(line, "│") {
			t.Errorf("a line has lost its end: %q", line)
		}
	}
	x.Type("\x03")
	x.Wait()
}

func TestInterruptKey(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, "single", alone)
	x.WaitFor(question1)
	x.Type("\x03")
	rep := x.end()
	if !rep.Interrupted || rep.Unavailable || rep.Replies != nil {
		t.Errorf("after Ctrl+C: %+v", rep)
	}
}

// However the context ends, the question is gone, the terminal says why,
// nothing is committed and the terminal is as it was. That it is gone
// within 250 ms is BenchmarkWithdrawal's.
func TestWithdrawal(t *testing.T) {
	for _, form := range []struct{ name, env, ready string }{{"screen", "", question1}, {"plain", "TTY_PLAIN=1", "Enter a number:"}} {
		for _, tt := range []struct {
			name    string
			signal  syscall.Signal
			typed   string
			closing string
		}{
			{"answered elsewhere", syscall.SIGUSR1, "", "Already answered on the web page."},
			{"SIGINT", syscall.SIGINT, "", "the question stays open"},
			{"SIGTERM", syscall.SIGTERM, "", "the question stays open"},
			{"SIGHUP", syscall.SIGHUP, "", "the question stays open"},
			{"half an answer typed", syscall.SIGTERM, "2", "the question stays open"},
		} {
			t.Run(form.name+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				x := start(t, 80, 24, "single", alone, form.env)
				x.WaitFor(question1)
				x.Type(tt.typed)
				if err := syscall.Kill(x.Pid(), tt.signal); err != nil {
					t.Fatal(err)
				}
				x.WaitFor(tt.closing)
				rep := x.end()
				if rep.Replies != nil || rep.Unavailable || rep.Errs[0] == "" {
					t.Errorf("the withdrawn question ended as %+v", rep)
				}
				if rep.Closed != (tt.signal == syscall.SIGUSR1) {
					t.Errorf("Show returned %q, which is not the cause", rep.Errs)
				}
				t.Logf("withdrawn within %s", rep.Withdrawal)
			})
		}
	}
}

// After a question was withdrawn its form reads no more: the next line belongs
// to the next program, whole. Half a line typed for the question
// does not.
func TestNoReaderStaysBehind(t *testing.T) {
	for _, form := range []struct{ name, env, ready string }{{"screen", "", question1}, {"plain", "TTY_PLAIN=1", "Enter a number:"}} {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			x := start(t, 80, 24, "single", alone, form.env, "TTY_NEXT=1")
			x.WaitFor(question1)
			x.Type("2") // half an answer is no part of the next program's line
			if err := syscall.Kill(x.Pid(), syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			x.Expect("next\r\n")
			for _, line := range []string{"one", "two", "three"} {
				x.Type(line + "\r")
				x.Expect(line + "\r\n" + line + "\r\n") // the echo, and what cat read
			}
			x.Type("\x04")
			x.end()
		})
	}
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
// Surfaces that share a turn wait for each other.
func TestWaitingForTheTurnEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{Turn: NewTurn()}
		if _, err := o.Turn.Take(t.Context()); err != nil {
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
			if err := syscall.Kill(x.Pid(), syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if rep := x.end(); rep.Replies != nil {
				t.Errorf("keys typed before the question answered it: %+v", rep.Replies)
			}
		})
	}
}

// A terminal that goes away answers nothing. Both forms end like those of a
// process that got the signal first, if it gets one at all.
func TestHangup(t *testing.T) {
	for _, form := range []struct{ name, env, ready string }{{"screen", "", question1}, {"plain", "TTY_PLAIN=1", "Enter a number:"}} {
		for _, told := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, told %v", form.name, told), func(t *testing.T) {
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
	}
}

// Moved to the background while it holds the terminal, the process is not
// stopped, takes no key and changes nothing.
func TestMovedToTheBackground(t *testing.T) {
	for _, form := range []struct{ name, env, ready string }{{"screen", "", question1}, {"plain", "TTY_PLAIN=1", "Enter a number:"}} {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			// The kernel stops no process whose parent is in another session: a
			// shell with job control stands between.
			x := start(t, 80, 24, "single", `set -m; "$SHOW"; echo "ended with $?"`, form.env)
			x.WaitFor(form.ready)
			during := x.Termios()
			if err := syscall.Kill(x.Foreground(), syscall.SIGUSR2); err != nil {
				t.Fatal(err)
			}
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
}

// A form that breaks leaves the terminal usable and answers nothing.
func TestPanic(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, "single", alone, "TTY_TROUBLE=panic")
	x.WaitFor(question1)
	x.Type("2\r")
	rep := x.end()
	if rep.Replies != nil || rep.Unavailable || !strings.Contains(rep.Errs[0], "panic") {
		t.Errorf("after a panic: %+v", rep)
	}
}

// A machine that is too busy for the form to end in time leaves nothing of it on
// the terminal, and neither does a process that ends without waiting for it.
func TestTerminalIsLeftInAnyCase(t *testing.T) {
	for _, trouble := range []string{"busy", "rescue"} {
		t.Run(trouble, func(t *testing.T) {
			t.Parallel()
			x := start(t, 80, 24, "single", alone, "TTY_TROUBLE="+trouble)
			x.WaitFor(question1)
			if trouble == "busy" {
				if err := syscall.Kill(x.Pid(), syscall.SIGUSR2); err != nil {
					t.Fatal(err)
				}
				x.Expect("jammed")
				x.Type("2")
				x.Expect("too busy")
			}
			if err := syscall.Kill(x.Pid(), syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			x.Wait()
			x.left()
		})
	}
}

// A store that does not return cannot hold the terminal.
func TestStuckStore(t *testing.T) {
	for _, form := range []struct{ name, env, ready string }{{"screen", "", question1}, {"plain", "TTY_PLAIN=1", "Enter a number:"}} {
		for name, leave := range map[string]func(x *run){
			"ended": func(x *run) {
				if err := syscall.Kill(x.Pid(), syscall.SIGTERM); err != nil {
					t.Error(err)
				}
			},
			"Ctrl+C": func(x *run) { x.Type("\x03") },
		} {
			t.Run(form.name+" "+name, func(t *testing.T) {
				t.Parallel()
				x := start(t, 80, 24, "single", alone, form.env, "TTY_TROUBLE=stuck")
				x.WaitFor(form.ready)
				x.Type("2\r")
				x.sendLines()
				x.Expect("committing")
				leave(x)
				x.WaitFor("it may still count")
				if rep := x.end(); rep.Replies != nil || strings.Contains(x.Output(), "stays open") {
					t.Errorf("with a stuck store: %+v, %s", rep, x.Output())
				}
			})
		}
	}
}

// Another answer may be first in the moment of sending.
func TestAnsweredElsewhereMeanwhile(t *testing.T) {
	for _, form := range []struct{ name, env, ready string }{{"screen", "", question1}, {"plain", "TTY_PLAIN=1", "Enter a number:"}} {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			x := start(t, 80, 24, "single", alone, form.env, "TTY_TROUBLE=closed")
			x.WaitFor(form.ready)
			x.Type("2\r")
			x.sendLines()
			x.WaitFor("Already answered on the web page.")
			if rep := x.end(); rep.Replies != nil || !rep.Closed {
				t.Errorf("%+v", rep)
			}
		})
	}
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
	if rep := x.end(); !reflect.DeepEqual(rep.Replies, answered(ownWords("name", long))) {
		t.Errorf("%+v", rep)
	}
}

// Where a full screen cannot be had, or is of no use, the line form asks.
func TestLineFormInstead(t *testing.T) {
	for _, tt := range []struct {
		name       string
		cols, rows int
		env        string
	}{
		{"dumb terminal", 80, 24, "TERM=dumb"},
		{"no terminal type", 80, 24, "TERM="},
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
			if rep := x.end(); !reflect.DeepEqual(rep.Replies, answered(option("database", "pg"))) {
				t.Errorf("%+v", rep)
			}
			if strings.ContainsRune(x.Output(), '\x1b') {
				t.Errorf("escape codes: %q", x.Output())
			}
		})
	}
}
