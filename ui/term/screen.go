package term

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// Screen runs a full-screen model on a terminal. It draws when something has happened, and else
// sleeps. Bubble Tea's own program is not used: it wakes many times a second to look for what it
// can draw, and a form may wait for a day.
type Screen struct {
	options  ScreenOptions
	display  *display
	messages chan tea.Msg
	ctx      context.Context // ends with the screen, and ends the editor
	end      context.CancelFunc
	killed   chan struct{} // closed to end the model wherever it is
	ended    chan struct{} // closed when the model has ended
	editing  sync.Mutex    // held while an editor has the terminal
	left     string        // the file that the editor has left; empty for none

	// Only show uses these.
	view      tea.View
	pending   []tea.Msg                 // to be handled before those that arrive
	stopKeys  func() (unread []tea.Msg) // nil while the terminal is lent
	sizes     chan os.Signal            // the terminal has another size
	continued chan os.Signal            // the process was stopped, and continues
}

// ScreenOptions are the options of a screen.
type ScreenOptions struct {
	Model tea.Model
	// In and Out are the terminal. The screen makes its settings.
	In, Out File
	Getenv  func(string) string // looks up the variables about the terminal and the editor
	// Leave returns the message that makes the model end by itself, because the context
	// has ended.
	Leave func(cause error) tea.Msg
	// Quit is how long the model may take to end by itself, Kill how long ending it may take.
	Quit, Kill time.Duration
	// Hurry, if not nil, is called before the model is killed.
	Hurry func()
	// Away is called before the process stops for its shell, and what it returns once the process
	// continues; an error of that ends the screen. Required where the model suspends.
	Away func() (back func() error)
}

// File is a terminal as a file whose read can be ended while it waits.
type File = uv.File

// The errors of a screen.
var (
	// ErrStuck means that the model neither ended by itself nor could be ended: it
	// still runs, and must not be read.
	ErrStuck = errors.New("the screen did not end")
	// ErrGone means that the terminal is gone.
	ErrGone = errors.New("the terminal is gone")
)

// NewScreen returns a screen that does not run yet.
func NewScreen(o ScreenOptions) *Screen {
	s := &Screen{
		options: o, display: newDisplay(o.In, o.Out, environ(o.Getenv)),
		messages: make(chan tea.Msg), killed: make(chan struct{}), ended: make(chan struct{}),
		sizes: make(chan os.Signal, 1), continued: make(chan os.Signal, 1),
	}
	s.ctx, s.end = context.WithCancel(context.Background())
	return s
}

// Send sends a message to the model; it does nothing once the screen has ended.
func (s *Screen) Send(msg tea.Msg) {
	select {
	case s.messages <- msg:
	case <-s.ended:
	}
}

// Left names the file that an editor has left when the screen ended; empty for none. It may be
// called after ErrStuck: no editor runs then.
func (s *Screen) Left() string {
	if s.left == "" {
		return ""
	}
	return words.T("What you wrote is in %s.", question.Line(s.left))
}

// Run shows the model until it ends by itself, or ctx ends; it returns the cause of that, or
// an error that wraps ErrGone.
func (s *Screen) Run(ctx context.Context) error {
	defer s.end()
	var failed error
	go func() {
		defer close(s.ended)
		failed = s.show()
	}()
	select {
	case <-s.ended:
		return failed
	case <-ctx.Done():
	}
	s.end()
	s.editing.Lock() // for good: no editor begins any more
	endsWithin := func(d time.Duration) bool {
		select {
		case <-s.ended:
			return true
		case <-time.After(d):
			return false
		}
	}
	cause := context.Cause(ctx)
	go s.Send(s.options.Leave(cause))
	if endsWithin(s.options.Quit) {
		return cause
	}
	if s.options.Hurry != nil {
		s.options.Hurry()
	}
	close(s.killed)
	if endsWithin(s.options.Kill) {
		return cause
	}
	return ErrStuck
}

// Release restores the terminal before the process ends, also if the model does not end.
// Nothing is drawn afterwards. It does nothing once the screen has ended. A terminal that takes no
// output gets only its settings back.
func (s *Screen) Release() {
	released := make(chan struct{})
	go func() {
		defer close(released)
		s.display.release()
	}()
	select {
	case <-released:
	case <-time.After(releaseTime):
		_ = s.display.console.Restore()
	}
}

// releaseTime is how long a terminal may take to take what Release writes.
const releaseTime = 200 * time.Millisecond

// environ returns the variables that tell the abilities of the terminal. TMUX is not
// among them: with it, the tmux command would be run for them.
func environ(getenv func(string) string) []string {
	var environ []string
	for _, name := range []string{
		"TERM", "COLORTERM", "TERM_PROGRAM", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE",
		"SSH_TTY", "WT_SESSION", "GOOGLE_CLOUD_SHELL",
	} {
		if value := getenv(name); value != "" {
			environ = append(environ, name+"="+value)
		}
	}
	return environ
}
