package tty

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/form"
)

// A withdrawn question is gone within 250 ms (DESIGN, promise 3): the form
// gets the first part of that time to go by itself, killing it the second.
const (
	quitTime = 120 * time.Millisecond
	killTime = 40 * time.Millisecond
)

// showForm shows rec in the full-screen form on t, which is free.
func (s *surface) showForm(ctx context.Context, t *terminal, rec desk.Record, commit ui.Commit) error {
	restore, err := t.raw()
	if err != nil {
		return ui.Unavailablef("the terminal cannot be set up for a form: %v", err)
	}
	// What became of the reply is kept beside the form: when the context ends
	// in the same moment, the form may be gone before it hears of it.
	var sent atomic.Bool
	var first atomic.Pointer[desk.ClosedError] // somebody else was first
	var program *tea.Program
	news := func(msg tea.Msg) { program.Send(msg) }
	backed := newBacking(s.options.Desk, rec)
	f := form.New(rec, func(r question.Reply) error {
		err := commit(r)
		var closed *desk.ClosedError
		if errors.As(err, &closed) {
			first.Store(closed)
		}
		sent.CompareAndSwap(false, err == nil)
		return err
	}, append(backed.options(ctx, news), s.form...)...)
	hung, hangup := context.WithCancelCause(context.Background())
	defer hangup(nil)
	keys := &keyboard{terminal: t, hangup: hangup}
	program = tea.NewProgram(f,
		// The reader is no file, so that Bubble Tea leaves the settings of the
		// terminal and the end of reading to us (FACTS 7.2).
		tea.WithInput(keys),
		tea.WithOutput(t),
		tea.WithEnvironment(s.environ()),
		tea.WithoutSignalHandler(),
	)
	unfollow := backed.follow(ctx, news)
	uncontinue := onContinue(func() { t.comeBack(program) })
	err = host(ctx, hung, t, program)
	keys.stop()
	uncontinue()
	restore()
	unfollow()
	if errors.Is(err, errStuck) { // it still runs: its state is not ours to read
		if sent.Load() {
			return nil
		}
		return cmp.Or(context.Cause(ctx), ui.Unavailablef("the terminal is gone"))
	}
	closed := first.Load()
	last := f.Closing()
	if last == "" && ctx.Err() != nil { // it was killed
		last = form.Withdrawal(context.Cause(ctx))
	}
	if last != "" {
		_, _ = fmt.Fprintln(t, last)
	}
	switch {
	case sent.Load():
		return nil
	case f.State() == form.Aborted:
		return ui.ErrInterrupted
	case closed != nil:
		return closed
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case hung.Err() != nil:
		return ui.Unavailablef("the terminal is gone: %v", context.Cause(hung))
	case err != nil:
		return fmt.Errorf("show the form: %w", err)
	}
	return errors.New("the form ended without a reply")
}

var errStuck = errors.New("the form did not end")

// host runs the program until it ends by itself, ctx ends or the terminal is
// hung up. Bubble Tea gets neither context: it would end the form half-way and
// leave it open what state it is in (FACTS 7.1).
func host(ctx, hung context.Context, t *terminal, program *tea.Program) error {
	done := make(chan error, 1)
	go func() {
		_, err := program.Run()
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		go program.Send(form.Withdraw{Cause: context.Cause(ctx)})
	case <-hung.Done():
		go program.Quit()
	}
	select {
	case err := <-done:
		return err
	case <-time.After(quitTime):
	}
	t.hurry(killTime)
	go program.Kill()
	select {
	case err := <-done:
		return err
	case <-time.After(killTime):
		return errStuck
	}
}

// comeBack takes the terminal again after the process was stopped and goes on
// (Ctrl+Z cannot reach it, SIGSTOP can): the shell has made its own settings
// meanwhile, and drawn what it likes. Continued in the background it does
// nothing.
func (t *terminal) comeBack(program *tea.Program) {
	if !t.foreground() {
		return
	}
	if _, err := t.raw(); err != nil { // what it returns puts back the shell's settings, not the first ones
		return
	}
	// Bubble Tea believes that all this is still as it was. Mode 1047 saves no
	// cursor: the one to go back to is saved already.
	_, _ = io.WriteString(t, ansi.SetModeAltScreen+ansi.SetModeBracketedPaste)
	program.Send(tea.ClearScreen())
}

// keyboard is the terminal's input while a form is on it.
type keyboard struct {
	terminal *terminal
	hangup   context.CancelCauseFunc
	reading  sync.Mutex
}

// Read implements io.Reader. Bubble Tea takes the end of its input for nothing
// in particular, so the end of the terminal is told to hangup too.
func (k *keyboard) Read(p []byte) (int, error) {
	k.reading.Lock()
	defer k.reading.Unlock()
	n, err := k.terminal.Read(p)
	if err != nil {
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			k.hangup(err)
		}
		return n, io.EOF
	}
	return n, nil
}

// stop returns when nobody reads the terminal any more, or ever will.
func (k *keyboard) stop() {
	k.terminal.interrupt()
	k.reading.Lock()
	defer k.reading.Unlock()
}
