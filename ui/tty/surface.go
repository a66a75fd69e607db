package tty

import (
	"context"
	"errors"
	"os"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// Options are what the surface needs from its surroundings.
type Options struct {
	// Path is the terminal to use. Empty means /dev/tty, the controlling one.
	Path string
	// Getenv looks an environment variable up: TERM, ACCESSIBLE, and what
	// decides about colours. Nil means os.Getenv.
	Getenv func(string) string
	// Plain forces the line form.
	Plain bool
	// Turn is shared by the surfaces of this process for the same terminal. Nil
	// means a turn of the surface's own.
	Turn *Turn
	// Opened says that the human called for the form: then it needs no pause in
	// their typing.
	Opened bool
	// Pane says that the terminal is there for this question alone: Ctrl+C asks
	// whether to dismiss before the terminal goes with the form.
	Pane bool
	// Interrupted is what becomes of the record when the human breaks off, as in
	// present.Question: the last words say so. Empty means that it stays open.
	Interrupted desk.Status
	// Desk keeps what the human has typed so far, and knows the deadline and the
	// earlier rounds; see form.Backing.
	Desk *desk.Desk
}

// New returns the surface "tty": the full-screen form, or the plain one where
// the terminal or its user cannot take a full screen (E9).
func New(o Options) ui.Surface { return newSurface("tty", o) }

// NewPlain returns the surface "plain": the same terminal, always the line
// form.
func NewPlain(o Options) ui.Surface {
	o.Plain = true
	return newSurface("plain", o)
}

func newSurface(name string, o Options) *surface {
	if o.Path == "" {
		o.Path = "/dev/tty"
	}
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Turn == nil {
		o.Turn = NewTurn()
	}
	return &surface{name: name, options: o}
}

type surface struct {
	name    string
	options Options
	window  *term.Window // of a form; for tests
}

// origin says how a form of this surface comes onto the screen.
func (s *surface) origin() act.Origin {
	if s.options.Opened {
		return act.Opened
	}
	return act.Appeared
}

// Name implements ui.Surface.
func (s *surface) Name() string { return s.name }

// Show implements ui.Surface. One form at a time is on the terminal: others
// wait, in the order in which they were asked, and the terminal is judged
// again for each. A human who breaks off with Ctrl+C makes Show return
// ui.ErrInterrupted.
func (s *surface) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	release, err := s.options.Turn.take(ctx)
	if err != nil {
		return err
	}
	defer release()

	defer ignoreStops()()
	t, err := open(s.options.Path)
	if err != nil {
		return err
	}
	defer t.close()
	if err := t.free(); err != nil {
		return err
	}
	s.options.Turn.hold(t)
	defer s.options.Turn.hold(nil)
	defer t.restore() // also after a panic
	backing := form.Backing{Desk: s.options.Desk, Rec: rec}
	if s.lines(t) {
		return s.showPlain(ctx, t, backing, commit)
	}
	return s.showForm(ctx, t, backing, commit)
}

// lines reports whether the line form is the one to use on t (E9).
func (s *surface) lines(t *terminal) bool {
	if s.options.Plain || s.options.Getenv("ACCESSIBLE") != "" {
		return true
	}
	if term := s.options.Getenv("TERM"); term == "" || term == "dumb" {
		return true
	}
	width, height := t.size()
	return width < term.MinWidth || height < term.MinHeight
}

// farewell says why the form went away without an answer; interrupted is what
// becomes of the record when it was the human who broke off.
func farewell(cause error, interrupted desk.Status) string {
	if errors.Is(cause, ui.ErrInterrupted) {
		return words.Local.Interrupted(interrupted)
	}
	return words.Local.Withdrawal(cause)
}

// hangupTime is how long after the end of a terminal the signal may come that
// tells of it: a shell passes it on after its own end.
const hangupTime = time.Second

// awaitHangup waits for what tells the process that its terminal has gone, so
// that the record ends like that of a process which was told first.
func awaitHangup(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(hangupTime):
	}
}
