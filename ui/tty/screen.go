package tty

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/term"
)

// A withdrawn question is gone within 250 ms, as ui.Surface promises: quitTime is for the
// form to end by itself, killTime for killing it.
const (
	quitTime = 120 * time.Millisecond
	killTime = 40 * time.Millisecond
)

// showForm shows a record in the full-screen form on t, which delivers no lines.
func (s *surface) showForm(ctx context.Context, t *terminal, backing form.Backing, commit ui.Commit) error {
	// The result of the last commit, and whether one runs. The form may end without it, if the
	// context ends in the same moment.
	var result atomic.Pointer[error]
	var sending atomic.Bool
	options := backing.Options(ctx) // before Ctrl+C becomes a key: the store may hang
	options.Interrupted, options.Break, options.Window = s.options.Interrupted, s.options.Pane, s.window
	if s.options.Opened {
		options.Origin = gate.Opened
	}
	var saver form.Saver
	save := func(r question.Reply, edition int) error {
		return saver.Save(backing.Rec.ID, edition, func() error { return backing.Save(ctx, r) })
	}
	options.Save = func(r question.Reply) error { return save(r, 0) }
	f := form.New(backing.Rec, func(r question.Reply) error {
		result.Store(nil)
		sending.Store(true)
		err := commit(r)
		result.Store(&err)
		sending.Store(false)
		return err
	}, options)
	screen := term.NewScreen(term.ScreenOptions{
		Model: f, In: t, Out: t, Getenv: s.options.Getenv,
		Leave: func(cause error) tea.Msg { return form.Withdraw{Cause: cause} },
		Quit:  quitTime, Kill: killTime,
		Hurry: func() { t.hurry(killTime) },
	})
	unfollow := follow(ctx, backing, screen.Send)
	_ = t.deliverLines(true) // as an editor gets it; the screen makes its own settings, or says why not
	err := screen.Run(ctx)
	stuck := errors.Is(err, term.ErrStuck) // then the form still runs, and must not be read
	t.hurry(quitTime)
	t.abandon()
	unfollow()
	if !stuck {
		defer saveRest(ctx, f, func(r question.Reply) error { return save(r, 1) })
	}
	gone := err != nil && !t.foreground()
	if gone {
		awaitHangup(ctx)
	}
	last := result.Load()
	switch {
	case last != nil && *last == nil:
		if !stuck {
			t.printLine(f.Closing())
		}
		return nil
	case !stuck && f.State() == form.Aborted:
		t.printLine(f.Closing())
		return ui.ErrInterrupted
	case last != nil && errors.As(*last, new(*desk.ClosedError)):
		err = *last
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case gone:
		return ui.Unavailablef("the terminal is gone")
	case err != nil:
		return fmt.Errorf("show the form: %w", err)
	default:
		return errors.New("the form ended without a reply")
	}
	t.printLine(closingLine(err, s.options.Interrupted, sending.Load() || !stuck && last == nil && f.Sending()))
	if left := screen.Left(); left != "" {
		t.printLine(left)
	}
	return err
}

// saveTime is how long the last draft of a form may take to be saved.
const saveTime = time.Second

// saveRest saves what was typed in a form that has ended, as far as it is not kept.
func saveRest(ctx context.Context, f *form.Form, save func(question.Reply) error) {
	ctx, cancel := context.WithTimeout(ctx, saveTime)
	defer cancel()
	draft, unsaved := f.Unsaved()
	if unsaved {
		_ = awaitStore(ctx, func() error { return save(draft) })
	}
}

var errTaken = errors.New("the terminal is no longer ours")

// follow sends the status of the record to the form, now and with every event of the desk, until
// the returned function is called or ctx ends.
func follow(ctx context.Context, b form.Backing, send func(tea.Msg)) (stop func()) {
	if b.Desk == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		events, err := b.Desk.Watch(ctx)
		if err != nil {
			return
		}
		send(b.Status(ctx))
		for range events {
			send(b.Status(ctx))
		}
	}()
	return cancel
}
