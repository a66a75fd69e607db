package inbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	tea "charm.land/bubbletea/v2"
	xterm "golang.org/x/term"

	"mcp-askuser/desk"
	"mcp-askuser/ui/form"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// Options are what an inbox needs from outside.
type Options struct {
	Desk    *desk.Desk
	In, Out *os.File            // the terminal
	Getenv  func(string) string // tells what the terminal can do
	// Shown, if not nil, is called with what gives the terminal back at once, for a
	// process that is about to end without waiting for the inbox.
	Shown func(release func())
	// Go shows the user the terminal of a process, so that they can talk to the agent there.
	Go func(pid int) error
}

// translated is an error in the language of the user.
type translated string

func (e translated) Error() string { return words.T(string(e)) }

// ErrNoTerminal means that there is no terminal to show an inbox on.
var ErrNoTerminal error = translated(words.Mark("inbox needs a full screen; `mcp-askuser pending` lists what waits, " +
	"`mcp-askuser answer` asks it line by line"))

var errStuck error = translated(words.Mark("the store takes too long: what was sent or typed last may not be kept"))

// How long the inbox may take to close once it must: the program by itself, then the
// writes to the desk.
const (
	quitTime  = time.Second
	writeTime = 2 * time.Second
)

// Run shows the inbox until the user leaves it, which is no error, ctx ends,
// which returns its cause, or the terminal is gone. Whatever ends it, nothing
// is said to any question by that, what was being typed is kept, and the
// terminal is as it was before.
func Run(ctx context.Context, o Options) error {
	if err := o.checkTerminal(); err != nil {
		return err
	}
	var leave func()
	announce := func() error {
		release, err := o.Desk.Announce(ctx, Name)
		if err != nil {
			return fmt.Errorf(words.T("announce the inbox: %w"), err)
		}
		leave = release
		return nil
	}
	err := announce()
	if err != nil {
		return err
	}

	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	m := newModel(inner, o)
	screen := term.NewScreen(term.ScreenOptions{
		Model: m, In: o.In, Out: o.Out, Getenv: o.Getenv,
		Leave: func(error) tea.Msg { return term.Callback(m.quit) },
		Quit:  quitTime, Kill: quitTime,
		Away: func() func() error { leave(); return announce },
	})
	if o.Shown != nil {
		o.Shown(screen.Release)
	}
	err = screen.Run(ctx)
	stuck := errors.Is(err, term.ErrStuck) // then the model still runs, and must not be read
	stop()
	finished := make(chan error, 1)
	go func() {
		m.writes.Lock() // for good: no write begins any more
		var unsaved error
		if !stuck {
			m.quit() // which a terminal that has gone tells no model
			unsaved = m.saveRest(ctx)
			leave()
		}
		finished <- unsaved
	}()
	select {
	case unsaved := <-finished:
		return errors.Join(err, unsaved)
	case <-time.After(writeTime):
		return errors.Join(err, errStuck)
	}
}

// saveRest tries once more to keep what the desk did not take, and says what it
// does not take now.
func (m *model) saveRest(ctx context.Context) (err error) {
	for id, draft := range m.unsaved {
		fault := form.Backing{Desk: m.desk, Rec: desk.Record{ID: id}}.Save(ctx, draft)
		if fault != nil {
			err = errors.Join(err, fmt.Errorf(words.T("what was typed could not be kept: %w"), fault))
		}
	}
	return err
}

// checkTerminal reports why no inbox can be shown on this terminal.
func (o Options) checkTerminal() error {
	if o.In == nil || o.Out == nil || !xterm.IsTerminal(int(o.In.Fd())) || !xterm.IsTerminal(int(o.Out.Fd())) {
		return ErrNoTerminal
	}
	if kind := o.Getenv("TERM"); runtime.GOOS != "windows" && (kind == "" || kind == "dumb") {
		return fmt.Errorf(words.T("TERM is %q: %w"), kind, ErrNoTerminal)
	}
	if o.Getenv("ACCESSIBLE") != "" {
		return fmt.Errorf(words.T("ACCESSIBLE is set: %w"), ErrNoTerminal)
	}
	width, height, err := xterm.GetSize(int(o.Out.Fd()))
	if err != nil {
		return fmt.Errorf("%w (%w)", ErrNoTerminal, err)
	}
	if width < term.MinWidth || height < term.MinHeight {
		return fmt.Errorf(words.T("%d columns and %d lines are too few, %d and %d the least: %w"),
			width, height, term.MinWidth, term.MinHeight, ErrNoTerminal)
	}
	return nil
}
