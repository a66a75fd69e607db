//go:build unix

package pane

import (
	"context"
	"errors"
	"os"
	"sync"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
	"mcp-askuser/ui/words"
)

// Check implements ui.Checker.
func (s *surface) Check(context.Context) error {
	_, err := s.look()
	return err
}

// look returns what the user sees in tmux; the zero value on a desktop.
func (s *surface) look() (view, error) {
	t, _, err := s.find()
	if err != nil || t == nil {
		return view{}, err
	}
	return t.look()
}

// find returns the tmux server that the asker runs in, by its own environment or else
// by that of the nearest ancestor; without one, a desktop. The environment of a daemon
// and of the processes above it proves no tmux server.
func (s *surface) find() (*tmux, *desktop, error) {
	for process := range s.processes {
		t := findTmux(process.getenv)
		if t != nil && process.daemon {
			return nil, nil, ui.Unavailablef("only a daemon above is inside tmux, which may serve other screens than its own")
		}
		if t != nil {
			return t, nil, nil
		}
		if process.daemon {
			break
		}
	}
	if s.inTmux {
		return nil, nil, ui.Unavailablef("not inside a terminal multiplexer")
	}
	for process := range s.processes {
		if d := findDesktop(process.getenv); d != nil {
			return nil, d, nil
		}
	}
	return nil, nil, ui.Unavailablef("not inside a terminal multiplexer, and no desktop to open a window on")
}

// processes yields the asker and then its ancestors.
func (s *surface) processes(yield func(process) bool) {
	above := s.ancestors
	if above == nil {
		above = ancestors
	}
	if yield(process{getenv: s.getenv}) {
		above(yield)
	}
}

// Show implements ui.Surface. One pane is open at a time: other questions
// wait, in the order in which they were asked. Commit is not used: the process
// in the pane replies to the desk itself.
func (s *surface) Show(ctx context.Context, rec desk.Record, _ ui.Commit) error {
	if !desk.ValidID(rec.ID) {
		return ui.Unavailablef("%q is no question's id", rec.ID)
	}
	release, err := s.turn.Take(ctx)
	if err != nil {
		return err
	}
	defer release()
	t, d, err := s.find()
	if err != nil {
		return err
	}
	argv, err := s.command(rec.ID)
	if err != nil {
		return err
	}
	open := d.open
	if t != nil {
		open = t.open
	}
	p, err := open(ctx, argv)
	if errors.Is(err, errNoClient) {
		go s.showLater(ctx, t, rec)
	}
	if err != nil {
		return err
	}
	defer p.close()
	var focusing sync.WaitGroup
	defer focusing.Wait()
	focusCtx, closed := context.WithCancel(ctx)
	defer closed()
	focusing.Go(func() { p.offerFocus(focusCtx) })
	return p.wait(ctx, rec.ID)
}

// showLater shows the record when a client attaches, if it is still open.
func (s *surface) showLater(ctx context.Context, t *tmux, rec desk.Record) {
	_, _ = t.await(ctx, func(_ view, err error) bool { return err == nil })
	_ = s.Show(ctx, rec, nil) // the asker already has the first failure
}

// command returns the command for the pane: variables, a separator, a program and its
// arguments.
func (s *surface) command(id string) ([]string, error) {
	self := s.self
	if self == "" {
		var err error
		if self, err = os.Executable(); err != nil {
			return nil, ui.Unavailablef("this program's file is not known: %v", err)
		}
	}
	argv := append([]string{Variable + "=1"}, s.env...)
	// The asker's settings hold in the pane as well. The abilities of a terminal are
	// not among them: the pane is another one.
	argv = append(argv, environ(s.getenv, "MCP_ASKUSER_DESK", "MCP_ASKUSER_DESK_CREDS", "MCP_ASKUSER_DESK_CA", "NO_COLOR", "ACCESSIBLE", "VISUAL", "EDITOR")...)
	language := environ(s.getenv, "ASK_LANGUAGE")
	if words.Local != words.English { // the pane's locale may be another's
		language = []string{"ASK_LANGUAGE=" + string(words.Local)}
	}
	return append(append(argv, language...), separator, self, "answer", id), nil
}

// environ returns those of the variables that are set, as NAME=value.
func environ(getenv func(string) string, names ...string) []string {
	var env []string
	for _, name := range names {
		if value := getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
