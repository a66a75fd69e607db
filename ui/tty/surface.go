package tty

import (
	"context"
	"errors"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// Options of the surface. Getenv and Turn are required.
type Options struct {
	// Getenv looks an environment variable up: TERM, ACCESSIBLE, those about colours and the
	// editor.
	Getenv func(string) string
	// Lock is shared by the surfaces of this process.
	Lock *Lock
	// Opened says that the user opened the form: then it needs no pause in their typing.
	Opened bool
	// Pane says that the terminal closes with the form: Ctrl+C asks whether to dismiss.
	Pane bool
	// Interrupted is the status of the record after Ctrl+C, as in present.Question, for the
	// last line. Empty means that it stays open.
	Interrupted desk.Status
	// Desk has the drafts, the deadline and the earlier rounds; see form.Backing.
	Desk *desk.Desk
}

// New returns the surface "tty": the full-screen form, or the plain one where
// the terminal or its user cannot take a full screen.
func New(o Options) ui.Surface { return &surface{options: o} }

// NewPlain returns the surface "plain": the same terminal, always the line
// form.
func NewPlain(o Options) ui.Surface { return &surface{options: o, plain: true} }

type surface struct {
	options Options
	plain   bool
	window  *term.Window // of a form; for tests
}

func (s *surface) Name() string {
	if s.plain {
		return "plain"
	}
	return "tty"
}

// Check implements ui.Checker.
func (s *surface) Check(context.Context) error {
	t, err := open()
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }()
	return t.free()
}

// Show implements ui.Surface. One form at a time is on the terminal: others wait, in the
// order of asking, and check the terminal again. After Ctrl+C the error is
// ui.ErrInterrupted.
func (s *surface) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	release, err := s.options.Lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()

	defer ignoreStops()()
	t, err := open()
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }()
	if err := t.free(); err != nil {
		return err
	}
	s.options.Lock.hold(t)
	defer s.options.Lock.hold(nil)
	defer t.restore()           // also after a panic
	err = t.deliverLines(false) // at once: another form that begins now finds the terminal in use
	if err != nil {
		return ui.Unavailablef("the terminal cannot be set up for a form: %v", err)
	}
	backing := form.Backing{Desk: s.options.Desk, Rec: rec}
	if s.lines(t) {
		return s.showPlain(ctx, t, backing, commit)
	}
	return s.showForm(ctx, t, backing, commit)
}

// lines reports whether the line form is the one to use on t. Where not even lines can be
// read, the full-screen form waits until it fits.
func (s *surface) lines(t *terminal) bool {
	if s.plain || s.options.Getenv("ACCESSIBLE") != "" {
		return true
	}
	if term := s.options.Getenv("TERM"); term == "" || term == "dumb" {
		return true
	}
	width, height := t.size()
	return (width < term.MinWidth || height < term.MinHeight) && readable(width, height)
}

// closingLine says why the form ended without an answer; interrupted is as in Options.
// Sending means that a commit still runs.
func closingLine(cause error, interrupted desk.Status, sending bool) string {
	switch {
	case sending && !errors.As(cause, new(*desk.ClosedError)):
		return words.T(words.Uncertain)
	case errors.Is(cause, ui.ErrInterrupted):
		return words.Local.Interrupted(interrupted)
	}
	return words.Local.Withdrawal(cause)
}

// awaitHangup waits for SIGHUP, which ends the context, after the terminal is gone: the
// record ends the same way then, whichever is noticed first. A shell sends the signal at its
// own end.
func awaitHangup(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// Lock lets one form at a time onto the terminal. The surfaces of a process share
// one; the zero Lock is not ready, see [NewLock].
type Lock struct {
	ui.Lock

	mu   sync.Mutex
	held *terminal // that of the form that has the lock
}

// NewLock returns a lock that is free.
func NewLock() *Lock { return &Lock{Lock: ui.NewLock()} }

func (l *Lock) hold(t *terminal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = t
}

// Rescue leaves the terminal as it was found, whatever the form on it is doing: for a
// process that ends without waiting for the form.
func (l *Lock) Rescue() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held != nil {
		l.held.hurry(killTime)
		l.held.abandon()
	}
}
