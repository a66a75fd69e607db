//go:build unix

package pane

import (
	"context"
	"errors"
	"iter"
	"os"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/proc"
	"mcp-askuser/ui"
	"mcp-askuser/ui/words"
)

const (
	// interval is the time between two looks at tmux at first, and longest after some minutes: each look
	// runs tmux, and a question may be open for a day.
	interval = time.Second
	longest  = 15 * time.Second
	// endDelay is how long the desk may take to report an answer after the end of the
	// process that gave it.
	endDelay = 2 * time.Second
	// maxFailures is how often in a row tmux may not answer while a pane is open.
	maxFailures = 5
)

// Check implements ui.Checker.
func (s *surface) Check(context.Context) error {
	t, err := s.find()
	if err != nil {
		return err
	}
	_, err = t.look()
	return err
}

// find returns the tmux server that the asker runs in.
func (s *surface) find() (*tmux, error) {
	above := s.ancestors
	if above == nil {
		above = func(yield func(process) bool) { from(os.Getppid(), yield) }
	}
	return find(func(yield func(process) bool) {
		if yield(process{getenv: s.getenv}) {
			above(yield)
		}
	})
}

// find returns the tmux server that the first of some processes runs in, by its own
// environment or else by that of the nearest ancestor, which follow it. The environment of a
// daemon and of the processes above it proves no tmux server.
func find(processes iter.Seq[process]) (*tmux, error) {
	for process := range processes {
		t := findTmux(process.getenv)
		switch {
		case t != nil && process.daemon:
			return nil, ui.Unavailablef("only a daemon above is inside tmux, which may serve other screens than its own")
		case t != nil:
			return t, nil
		case process.daemon:
			return nil, errOutside
		}
	}
	return nil, errOutside
}

var errOutside = ui.Unavailablef("not inside tmux")

// Show implements ui.Surface. One pane is open at a time: other questions
// wait, in the order in which they were asked. Commit is not used: the process
// in the pane replies to the desk itself.
func (s *surface) Show(ctx context.Context, rec desk.Record, _ ui.Commit) error {
	if !desk.ValidID(rec.ID) {
		return ui.Unavailablef("%q is no question's id", rec.ID)
	}
	release, err := s.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	t, err := s.find()
	if err != nil {
		return err
	}
	v, err := t.look()
	if errors.Is(err, errNoClient) {
		s.later.Store(rec.ID, t)
		go s.showLater(ctx, t, rec)
	}
	if err != nil {
		return err
	}
	s.later.Delete(rec.ID)
	argv, err := s.command(rec.ID, v.elsewhere)
	if err != nil {
		return err
	}
	id, err := t.open(v, argv)
	if err != nil {
		return err
	}
	// Also without its process: the user's tmux may keep such panes.
	defer func() { _, _ = t.run("if-shell", "-F", "#{==:#{pid},"+t.pid+"}", "kill-pane -t "+id) }()
	return t.watch(ctx, id, v)
}

// watch waits until the question or the pane has ended. It gives the pane the focus when the
// user pauses.
func (t *tmux) watch(ctx context.Context, id string, v view) error {
	pause, failures := interval, 0
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
		open, err := t.isOpen(id)
		if err != nil {
			pause = interval
			failures++ // a busy machine, or the server has ended
		} else {
			pause = later(pause)
			failures = 0
		}
		if err == nil && !open || failures == maxFailures {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(endDelay):
				return ui.Unavailablef("the pane was closed without an answer")
			}
		}
		if v.focus {
			continue
		}
		now, err := t.look()
		if err == nil && now.focus {
			v.focus = true
			_, _ = t.run("select-window", "-t", id, ";", "select-pane", "-t", id)
		}
	}
}

// later is the pause that follows on one.
func later(pause time.Duration) time.Duration { return min(pause+pause/32, longest) }

// showLater shows the record when a client attaches, if it is still open. Of several calls for a
// record, as each that waits for its answer makes one, the last one looks, until a pane was open.
func (s *surface) showLater(ctx context.Context, t *tmux, rec desk.Record) {
	defer s.later.CompareAndDelete(rec.ID, t)
	for pause := interval; ; pause = later(pause) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		last, _ := s.later.Load(rec.ID)
		if last != t {
			return
		}
		_, err := t.look()
		if err == nil {
			_ = s.Show(ctx, rec, nil) // the asker already has the first failure
			return
		}
	}
}

// command returns the command for the pane.
func (s *surface) command(id string, ring bool) ([]string, error) {
	self := s.self
	if self == "" {
		var err error
		self, err = proc.Self()
		if err != nil {
			return nil, ui.Unavailablef("this program's file is not known: %v", err)
		}
	}
	value := "1"
	if ring {
		value = Ring
	}
	argv := append([]string{"env", Variable + "=" + value}, s.env...)
	// The asker's settings hold in the pane as well. The abilities of a terminal are
	// not among them: the pane is another one.
	for _, name := range []string{"MCP_ASKUSER_DESK", "MCP_ASKUSER_DESK_CREDS", "MCP_ASKUSER_DESK_CA", "NO_COLOR",
		"ACCESSIBLE", "VISUAL", "EDITOR"} {
		if value := s.getenv(name); value != "" {
			argv = append(argv, name+"="+value)
		}
	}
	language := s.getenv("ASK_LANGUAGE")
	if words.Local != words.English { // the pane's locale may be another's
		language = string(words.Local)
	}
	if language != "" {
		argv = append(argv, "ASK_LANGUAGE="+language)
	}
	return append(argv, self, "answer", id), nil
}
