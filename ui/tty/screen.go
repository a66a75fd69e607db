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
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// A withdrawn question is gone within 250 ms (DESIGN, promise 3): the form
// gets the first part of that time to go by itself, killing it the second.
const (
	quitTime = 120 * time.Millisecond
	killTime = 40 * time.Millisecond
)

// showForm shows a record in the full-screen form on t, which is free.
func (s *surface) showForm(ctx context.Context, t *terminal, backing form.Backing, commit ui.Commit) error {
	restore, err := t.raw()
	if err != nil {
		return ui.Unavailablef("the terminal cannot be set up for a form: %v", err)
	}
	// What became of the reply is kept beside the form: when the context ends
	// in the same moment, the form may be gone before it hears of it.
	var sent atomic.Bool
	var first atomic.Pointer[desk.ClosedError] // somebody else was first
	var screen *term.Screen
	keep := func(r question.Reply) {
		backing.Save(ctx, r)
		screen.Send(form.Deadline{At: backing.Deadline(ctx)}) // at once: the human is looking
	}
	origin := act.Appeared
	if s.options.Opened {
		origin = act.Opened
	}
	f := form.New(backing.Rec, func(r question.Reply) error {
		err := commit(r)
		var closed *desk.ClosedError
		if errors.As(err, &closed) {
			first.Store(closed)
		}
		sent.CompareAndSwap(false, err == nil)
		return err
	}, append(backing.Options(ctx, keep), form.WithOrigin(origin))...)
	gone, hangUp := context.WithCancelCause(context.Background())
	defer hangUp(nil)
	keys := &keyboard{terminal: t, hangUp: hangUp}
	screen = term.NewScreen(term.ScreenOptions{
		// The input is no file, so that Bubble Tea leaves the settings of the
		// terminal and the end of reading to us (FACTS 7.2).
		Model: f, In: keys, Out: t, Getenv: s.options.Getenv,
		Leave: func(cause error) tea.Msg { return form.Withdraw{Cause: cause} },
		Quit:  quitTime, Kill: killTime,
		Hurry: func() { t.hurry(killTime) },
	})
	unfollow := follow(ctx, backing, screen.Send)
	uncontinue := onContinue(func() { t.comeBack(screen) })
	err = screen.Run(ctx, gone)
	keys.stop()
	uncontinue()
	restore()
	unfollow()
	if errors.Is(err, term.ErrStuck) {
		if sent.Load() {
			return nil
		}
		return cmp.Or(context.Cause(ctx), ui.Unavailablef("the terminal is gone"))
	}
	closed := first.Load()
	last := f.Closing()
	if last == "" && ctx.Err() != nil { // it was killed
		last = words.Withdrawal(context.Cause(ctx))
	}
	if last != "" {
		t.hurry(quitTime) // anew: what came before may have taken its time
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
	case gone.Err() != nil:
		return ui.Unavailablef("the terminal is gone: %v", context.Cause(gone))
	case err != nil:
		return fmt.Errorf("show the form: %w", err)
	}
	return errors.New("the form ended without a reply")
}

// comeBack takes the terminal again after the process was stopped and goes on
// (Ctrl+Z cannot reach it, SIGSTOP can): the shell has made its own settings
// meanwhile, and drawn what it likes. Continued in the background it does
// nothing.
func (t *terminal) comeBack(screen *term.Screen) {
	if !t.foreground() {
		return
	}
	if _, err := t.raw(); err != nil { // what it returns puts back the shell's settings, not the first ones
		return
	}
	// Bubble Tea believes that all this is still as it was. Mode 1047 saves no
	// cursor: the one to go back to is saved already.
	_, _ = io.WriteString(t, ansi.SetModeAltScreen+ansi.SetModeBracketedPaste)
	screen.Send(tea.ClearScreen())
}

// keyboard is the terminal's input while a form is on it.
type keyboard struct {
	terminal *terminal
	hangUp   context.CancelCauseFunc
	reading  sync.Mutex
}

// Read implements io.Reader. Bubble Tea takes the end of its input for nothing
// in particular, so the end of the terminal is told to hangUp too.
func (k *keyboard) Read(p []byte) (int, error) {
	k.reading.Lock()
	defer k.reading.Unlock()
	n, err := k.terminal.Read(p)
	if err != nil {
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			k.hangUp(err)
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

// follow tells news what the form must know of the record, now and whenever
// something but its end happens to it, until the returned function is called or
// ctx ends.
func follow(ctx context.Context, b form.Backing, news func(tea.Msg)) (stop func()) {
	if b.Desk == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		events, err := b.Desk.Watch(ctx)
		if err != nil {
			return
		}
		tell := func(rec desk.Record) {
			news(form.Deadline{At: b.Deadline(ctx)})
			news(form.Attention{Attended: rec.Attended})
		}
		if rec, err := b.Desk.Get(ctx, b.Rec.ID); err == nil {
			tell(rec)
		}
		for e := range events {
			if e.Record.ID == b.Rec.ID && e.Type != desk.Ended {
				tell(e.Record)
			}
		}
	}()
	return func() {
		cancel()
		select {
		case <-done:
		case <-time.After(killTime): // the store does not return
		}
	}
}
