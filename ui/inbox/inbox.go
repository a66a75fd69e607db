package inbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"mcp-askuser/desk"
	"mcp-askuser/ui/form"
)

// Options are what an inbox needs from outside.
type Options struct {
	Desk    *desk.Desk
	In, Out *os.File            // the terminal
	Getenv  func(string) string // tells what the terminal can do; os.Getenv if nil
	// Ring writes to the terminal what tells the human that a question has
	// come: sounds and notifications, nothing that draws. Nil is silence.
	Ring func(io.Writer, desk.Record) error
	Now  func() time.Time // the clock; time.Now if nil
}

// ErrNoTerminal means that there is no terminal to show an inbox on.
var ErrNoTerminal = errors.New("inbox needs a terminal; `mcp-askuser pending` lists what waits")

// How long the inbox may take to close once it must: the program by itself,
// then whoever is writing to the desk.
const (
	quitTime  = time.Second
	writeTime = 5 * time.Second
)

// Run shows the inbox until the human leaves it, which is no error, ctx ends,
// which returns its cause, or the terminal is gone. Whatever ends it, nothing
// is said to any question by that, what was being typed is kept, and the
// terminal is as it was before.
func Run(ctx context.Context, o Options) error {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if err := o.fits(); err != nil {
		return err
	}
	leave, err := o.Desk.Announce(ctx, Name)
	if err != nil {
		return fmt.Errorf("announce the inbox: %w", err)
	}
	defer leave()

	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	m := newModel(inner, o)
	hung := make(chan error, 1)
	program := tea.NewProgram(m,
		tea.WithInput(&keyboard{o.In, hung}),
		tea.WithOutput(o.Out),
		tea.WithEnvironment(o.environ()),
		tea.WithoutSignalHandler(), // whoever called has one, and ends ctx
	)
	err = host(ctx, hung, program)
	stop()
	return errors.Join(err, finish(m.writes))
}

func newModel(ctx context.Context, o Options) *model {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &model{ctx: ctx, desk: o.Desk, now: o.Now, ring: o.Ring, writes: &sync.RWMutex{}, look: newLook(true)}
}

// environ returns the variables from which Bubble Tea tells what the terminal
// can do. TMUX is not among them: with it, Bubble Tea runs the tmux command.
func (o Options) environ() []string {
	var environ []string
	for _, name := range []string{
		"TERM", "COLORTERM", "TERM_PROGRAM", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE",
		"SSH_TTY", "WT_SESSION", "GOOGLE_CLOUD_SHELL",
	} {
		if value := o.Getenv(name); value != "" {
			environ = append(environ, name+"="+value)
		}
	}
	return environ
}

// fits reports why no inbox can be shown on this terminal.
func (o Options) fits() error {
	if o.In == nil || o.Out == nil || !term.IsTerminal(o.In.Fd()) || !term.IsTerminal(o.Out.Fd()) {
		return ErrNoTerminal
	}
	if kind := o.Getenv("TERM"); runtime.GOOS != "windows" && (kind == "" || kind == "dumb") {
		return fmt.Errorf("TERM is %q: %w", kind, ErrNoTerminal)
	}
	width, height, err := term.GetSize(o.Out.Fd())
	if err != nil {
		return fmt.Errorf("%w (%w)", ErrNoTerminal, err)
	}
	if width < form.MinWidth || height < form.MinHeight {
		return fmt.Errorf("%d columns and %d lines are too few, %d and %d the least: %w",
			width, height, form.MinWidth, form.MinHeight, ErrNoTerminal)
	}
	return nil
}

// host runs the program until it ends by itself, ctx ends or the terminal is
// gone. Bubble Tea gets no context: it would end without keeping the draft.
func host(ctx context.Context, hung <-chan error, program *tea.Program) error {
	var ended, cause error
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, ended = program.Run()
	}()
	select {
	case <-done:
		return ended
	case <-ctx.Done():
		cause = context.Cause(ctx)
	case err := <-hung:
		cause = fmt.Errorf("the terminal is gone: %w", err)
	}
	go program.Send(closing{})
	select {
	case <-done:
	case <-time.After(quitTime):
		program.Kill()
		<-done
	}
	return cause
}

// finish waits until nobody writes to the desk any more, and lets nobody begin.
func finish(writes *sync.RWMutex) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		writes.Lock() // for good
	}()
	select {
	case <-done:
		return nil
	case <-time.After(writeTime):
		return errors.New("the store takes too long: what was sent or typed last may not be kept")
	}
}

// keyboard is the terminal's input. Bubble Tea takes the end of its input for
// nothing in particular (FACTS 7.2), so it is told to hung too.
type keyboard struct {
	*os.File
	hung chan<- error
}

// Read implements io.Reader.
func (k *keyboard) Read(p []byte) (int, error) {
	n, err := k.File.Read(p)
	if err == nil {
		return n, nil
	}
	select {
	case k.hung <- err:
	default:
	}
	return n, io.EOF
}
