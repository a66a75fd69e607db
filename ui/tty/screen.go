package tty

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
)

// A withdrawn question is gone within 250 ms, as ui.Surface promises: the form
// gets the first part of that time to go by itself, killing it the second.
const (
	quitTime = 120 * time.Millisecond
	killTime = 40 * time.Millisecond
)

// showForm shows a record in the full-screen form on t, which is free.
func (s *surface) showForm(ctx context.Context, t *terminal, backing form.Backing, commit ui.Commit) error {
	if err := t.raw(); err != nil {
		return ui.Unavailablef("the terminal cannot be set up for a form: %v", err)
	}
	// What became of the reply is kept beside the form: when the context ends
	// in the same moment, the form may be gone before it hears of it.
	var sent atomic.Bool
	var first atomic.Pointer[desk.ClosedError] // another answer was first
	var screen *term.Screen
	var drawing atomic.Bool
	drawing.Store(true)
	keep := form.NewDraft(func(r question.Reply) error {
		err := backing.Save(ctx, r)
		screen.Send(form.Deadline{At: backing.Deadline(ctx)}) // at once: the human is looking
		return err
	})
	options := backing.Options(ctx, keep)
	options.Origin, options.Interrupted, options.Break = s.origin(), s.options.Interrupted, s.options.Pane
	options.Window = s.window
	f := form.New(backing.Rec, func(r question.Reply) error {
		err := commit(r)
		if closed, ok := errors.AsType[*desk.ClosedError](err); ok {
			first.Store(closed)
		}
		sent.CompareAndSwap(false, err == nil)
		return err
	}, options)
	keys := &keyboard{terminal: t}
	screen = term.NewScreen(term.ScreenOptions{
		// The input is no file, so that Bubble Tea leaves the settings of the
		// terminal and the end of reading to us.
		Model: f, In: keys, Out: canvas{t, &drawing}, Getenv: s.options.Getenv,
		Lender: keys,
		Leave:  func(cause error) tea.Msg { return form.Withdraw{Cause: cause} },
		Quit:   quitTime, Kill: killTime,
		Hurry: func() { t.hurry(killTime) },
	})
	unfollow := follow(ctx, backing, screen.Send)
	uncontinue := onContinue(func() {
		if !keys.lent.Load() {
			t.comeBack(screen)
		}
	})
	err := screen.Run(ctx)
	stuck := errors.Is(err, term.ErrStuck)
	drawing.Store(false)
	keys.Pause()
	uncontinue()
	t.hurry(quitTime) // anew: what came before may have taken its time
	t.restore()
	unfollow()
	gone := screen.Gone()
	if gone != nil {
		awaitHangup(ctx)
	}
	closed := first.Load()
	switch {
	case sent.Load():
		if !stuck { // else what it knows is not to be read
			printLine(t, f.Closing())
		}
		return nil
	case !stuck && f.State() == form.Aborted:
		printLine(t, f.Closing())
		return ui.ErrInterrupted
	case closed != nil:
		err = closed
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case gone != nil:
		return ui.Unavailablef("%v", gone)
	case err != nil:
		return fmt.Errorf("show the form: %w", err)
	default:
		return errors.New("the form ended without a reply")
	}
	printLine(t, closingLine(err, s.options.Interrupted))
	left := screen.Left()
	if !stuck {
		left = cmp.Or(f.Left(), left)
	}
	if left != "" {
		printLine(t, left)
	}
	return err
}

// printLine prints a last line where the form was.
func printLine(t *terminal, line string) { _, _ = fmt.Fprintln(t, line) }

// comeBack takes the terminal again after the process was stopped and continued
// (Ctrl+Z cannot reach it, SIGSTOP can): the shell has made its own settings
// meanwhile, and drawn what it likes. Continued in the background it does
// nothing.
func (t *terminal) comeBack(screen *term.Screen) {
	if !t.foreground() || t.raw() != nil {
		return
	}
	// Bubble Tea believes that all this is still as it was. Mode 1047 saves no
	// cursor: the one to go back to is saved already.
	_, _ = io.WriteString(t, ansi.SetModeAltScreen+ansi.SetModeBracketedPaste)
	screen.Send(tea.ClearScreen())
}

// canvas is the terminal while a form draws on it.
type canvas struct {
	*terminal
	drawing *atomic.Bool
}

// Write implements io.Writer. A form that could not be ended in time draws
// nothing more.
func (c canvas) Write(p []byte) (int, error) {
	if !c.drawing.Load() {
		return 0, errTaken
	}
	return c.terminal.Write(p)
}

var errTaken = errors.New("the terminal is no longer ours")

// keyboard is the terminal's input while a form is on it: one that can be taken
// away, and lent.
type keyboard struct {
	terminal *terminal
	reading  sync.Mutex
	lent     atomic.Bool // to the human's editor
}

func (k *keyboard) Read(p []byte) (int, error) {
	k.reading.Lock()
	defer k.reading.Unlock()
	return k.terminal.Read(p)
}

// Lend implements term.Lender. What was typed at the end is dropped with what
// is on the screen.
func (k *keyboard) Lend(run func() error) error {
	k.lent.Store(true)
	err := k.terminal.lend(run)
	k.lent.Store(false)
	return errors.Join(err, k.terminal.raw())
}

// Pause implements term.Lender: it returns when no read of the terminal is under way
// or will begin.
func (k *keyboard) Pause() {
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
		news(form.More{Wait: b.More(ctx)})
		for e := range events {
			switch mine := e.Record.ID == b.Rec.ID; {
			case mine && e.Type != desk.Ended:
				tell(e.Record)
			case !mine && e.Record.SessionID == b.Rec.SessionID:
				news(form.More{Wait: b.More(ctx)})
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
