//go:build unix

package tty

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// The test binary is also the program that the tests run on a terminal of its
// own: with TTY_SHOW in the environment it shows that record and reports what
// became of it.
func TestMain(m *testing.M) {
	if name := os.Getenv("TTY_SHOW"); name != "" {
		os.Exit(program(name))
	}
	os.Exit(m.Run())
}

// report is what the program on the terminal says about itself when it ends.
type report struct {
	Replies     []question.Reply // what was committed
	Errs        []string         // what Show returned, in the order of the returns; empty for nil
	Unavailable bool             // the last one
	Interrupted bool
	Closed      bool // the last one was a *desk.ClosedError
}

// program shows the samples called name (several with + between them, all at
// once), or with TTY_DESK a record of that desk. It ends their context on a
// signal, as a command does, and writes its report to TTY_REPORT; with TTY_NEXT
// it then runs cat. SIGUSR1 stands for an answer on the web page, SIGUSR2 moves
// the process to the background of its terminal.
func program(name string) int {
	var mu sync.Mutex
	var rep report

	var jammed atomic.Bool
	lock := NewLock()
	words.Local = words.Spoken(os.Getenv("TTY_LANGUAGE"))
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		for s := range signals {
			cause := errors.New("signal: " + s.String())
			switch s {
			case syscall.SIGUSR2:
				if os.Getenv("TTY_TROUBLE") == "busy" {
					jammed.Store(true)
					fmt.Print("jammed")
				} else {
					giveTerminalAway()
				}
				continue
			case syscall.SIGUSR1:
				cause = &desk.ClosedError{ID: "x", Outcome: desk.Outcome{Status: desk.Answered, Surface: "web", At: time.Unix(1_800_000_000, 0)}}
			}
			if os.Getenv("TTY_TROUBLE") == "rescue" {
				lock.Rescue()
				os.Exit(0)
			}
			cancel(cause)
		}
	}()

	trouble := os.Getenv("TTY_TROUBLE")
	d := programDesk()
	plain := os.Getenv("TTY_PLAIN") != ""
	opened := os.Getenv("TTY_OPENED") != "" || !plain && os.Getenv("TTY_APPEARED") == ""
	getenv := os.Getenv
	if trouble == "second" {
		getenv = secondForm
	}
	surface := &surface{options: Options{Getenv: getenv, Opened: opened, Desk: d, Lock: lock}, plain: plain}
	if trouble == "busy" {
		window := term.NewWindow(jam(&jammed))
		surface.window = &window
	}
	var shows sync.WaitGroup
	for one := range strings.SplitSeq(name, "+") {
		shows.Go(func() {
			var rec desk.Record
			if d != nil {
				rec = fromDesk(ctx, d)
			} else {
				rec = sample(one)
			}
			err := surface.Show(ctx, rec, func(r question.Reply) error {
				if trouble == "stuck" {
					fmt.Print("committing")
					select {}
				}
				mu.Lock()
				defer mu.Unlock()
				if trouble == "panic" {
					panic("the store has lost its mind")
				}
				rep.Replies = append(rep.Replies, r)
				return nil
			})
			mu.Lock()
			defer mu.Unlock()
			rep.Unavailable = errors.Is(err, ui.ErrUnavailable)
			rep.Interrupted = errors.Is(err, ui.ErrInterrupted)
			var closed *desk.ClosedError
			rep.Closed = errors.As(err, &closed)
			if err == nil {
				err = errors.New("")
			}
			rep.Errs = append(rep.Errs, err.Error())
		})
	}
	shows.Wait()
	data, err := json.Marshal(rep)
	if err == nil {
		err = os.WriteFile(os.Getenv("TTY_REPORT"), data, 0o600)
	}
	if err != nil {
		return 3
	}
	if os.Getenv("TTY_NEXT") != "" { // the next program on the terminal, while this process lives on
		next := exec.Command("cat")
		next.Stdin, next.Stdout = os.Stdin, os.Stdout
		fmt.Println("next")
		_ = next.Run()
	}
	return 0
}

// secondForm is os.Getenv, and another form that begins while the first is made.
func secondForm(name string) string {
	if name == "ACCESSIBLE" {
		second, err := open()
		if err != nil || second.free() == nil {
			panic("the terminal is free for a second form")
		}
	}
	return os.Getenv(name)
}

// jam returns a clock that never tells the time once it is jammed.
func jam(jammed *atomic.Bool) func() time.Time {
	return func() time.Time {
		if jammed.Load() {
			fmt.Print("too busy")
			select {}
		}
		return time.Now()
	}
}

// giveTerminalAway makes another process group the foreground one of the
// controlling terminal, as a shell does when it moves a job to the background.
func giveTerminalAway() {
	other := exec.Command("cat")
	other.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if _, err := other.StdinPipe(); err != nil || other.Start() != nil { // it ends when we do
		return
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return
	}
	if unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCSPGRP, other.Process.Pid) == nil {
		fmt.Print("elsewhere")
	}
}

// run is the program on a terminal of its own.
type run struct {
	*termtest.Terminal
	t      testing.TB
	report string
}

// start runs script in a shell on a new terminal; $SHOW in it is the program
// that shows the sample. Extra variables are written as in exec.Cmd.
func start(t testing.TB, cols, rows int, sample, script string, extra ...string) *run {
	t.Helper()
	self, err := os.Executable()
	fatal.If(t, err)
	path := filepath.Join(t.TempDir(), "report")
	cmd := exec.Command("sh", "-c", script)
	cmd.Env = append([]string{
		"GOCOVERDIR=" + os.Getenv("GOCOVERDIR"), // where make cover counts what programs run
		"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "SHOW=" + self, "TTY_SHOW=" + sample, "TTY_REPORT=" + path,
		"GORACE=atexit_sleep_ms=0", // the race detector would add a second to every run
	}, extra...)
	return &run{t: t, report: path, Terminal: termtest.Start(t, cmd, cols, rows)}
}

// single runs nothing but the program on a terminal of the usual size, and waits until it shows the question.
func single(t testing.TB, env ...string) *run {
	t.Helper()
	x := start(t, 80, 24, "single", alone, env...)
	x.WaitFor(question1)
	return x
}

// end waits for the program and returns its report. The terminal must be as it
// was before.
func (x *run) end() report {
	x.t.Helper()
	x.Wait()
	x.left()
	return x.outcome()
}

// commits fails unless this reply was committed when the program ends.
func (x *run) commits(want question.Reply) {
	x.t.Helper()
	rep := x.end()
	if !reflect.DeepEqual(rep.Replies, []question.Reply{want}) || !slices.Equal(rep.Errs, []string{""}) {
		x.t.Errorf("committed %+v, want %+v; Show returned %q:\n%s", rep.Replies, want, rep.Errs, x.Screen())
	}
}

// sendLines sends at the review of the line form; the full-screen form has none.
func (x *run) sendLines() {
	x.t.Helper()
	if x.FullScreen() {
		return
	}
	x.Expect("? helps: ")
	x.Type("\r")
}

// left checks that the terminal is as it was found.
func (x *run) left() {
	x.t.Helper()
	x.CheckLeft()
	for _, mode := range termtest.Switches() {
		if !strings.Contains(term.Leave(), mode.Off) {
			x.t.Errorf("%q is not written where a form is killed", mode.Off)
		}
	}
}

func (x *run) outcome() report {
	x.t.Helper()
	data, err := os.ReadFile(x.report)
	if err != nil {
		x.t.Fatalf("the program left no report: %v\n%s", err, x.Screen())
	}
	var rep report
	fatal.If(x.t, json.Unmarshal(data, &rep))
	return rep
}

// alone is the script that runs nothing but the program, so that signals reach
// it.
const alone = `exec "$SHOW"`
