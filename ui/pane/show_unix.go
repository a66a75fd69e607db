//go:build unix

package pane

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
	"mcp-askuser/ui/words"
)

const (
	// startup is how long a pane may take from our asking for it until its
	// process runs. A terminal emulator on a busy machine takes seconds.
	startup = 5 * time.Second
	// settling is how long the news of an answer may take to reach us after the
	// process that gave it has gone.
	settling = 500 * time.Millisecond
	// leaving is how long the process in a pane may take to go by itself, having
	// heard from the desk that the question has ended.
	leaving = 150 * time.Millisecond
)

// Check implements ui.Checker.
func (s *surface) Check(context.Context) error {
	_, err := s.look()
	return err
}

// look finds out what the human sees.
func (s *surface) look() (view, error) {
	k, at, err := s.find()
	if err != nil {
		return view{}, err
	}
	return k.view(at)
}

// Show implements ui.Surface. One pane is open at a time: other questions
// wait, in the order in which they were asked. commit is not used, the process
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
	k, at, err := s.find()
	if err != nil {
		return err
	}
	argv, err := s.answer(rec.ID)
	if err != nil {
		return err
	}
	p, err := open(ctx, k, at, argv)
	if errors.Is(err, errNobody) {
		go s.later(ctx, k, at, rec)
	}
	if err != nil {
		return err
	}
	defer p.close()
	var near sync.WaitGroup
	defer near.Wait()
	nearby, leave := context.WithCancel(ctx)
	defer leave()
	near.Go(func() { p.approach(nearby) })
	return p.stay(ctx, rec.ID)
}

// answer is what the process in the pane is to be: variables, a separator, and
// the command.
func (s *surface) answer(id string) ([]string, error) {
	self := s.self
	if self == "" {
		var err error
		if self, err = os.Executable(); err != nil {
			return nil, ui.Unavailablef("this program's file is not known: %v", err)
		}
	}
	argv := []string{Variable + "=1"}
	if dir := s.getenv("MCP_ASKUSER_DIR"); dir != "" {
		dir, err := filepath.Abs(dir) // the pane starts elsewhere
		if err != nil {
			return nil, ui.Unavailablef("the desk's directory is not known: %v", err)
		}
		argv = append(argv, "MCP_ASKUSER_DIR="+dir)
	}
	// The asker's settings hold in the pane as well. What a terminal can do is not
	// among them: the pane is another one.
	argv = append(argv, keep(s.getenv, "MCP_ASKUSER_DESK", "MCP_ASKUSER_DESK_CREDS", "MCP_ASKUSER_DESK_CA", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "MCP_ASKUSER_CONFIG", "NO_COLOR", "ACCESSIBLE", "VISUAL", "EDITOR")...)
	spoken := keep(s.getenv, "ASK_LANGUAGE")
	if words.Local != words.English { // the pane's locale may be another's
		spoken = []string{"ASK_LANGUAGE=" + string(words.Local)}
	}
	return append(append(argv, spoken...), separator, self, "answer", id), nil
}

// stay waits until the question has ended or the pane has.
func (p *pane) stay(ctx context.Context, id string) error {
	select {
	case <-ctx.Done():
	case <-p.line.gone:
		select {
		case <-ctx.Done():
		case <-time.After(settling):
			p.tell(p.place.pane, words.T("The question is still open: mcp-askuser answer %s, or mcp-askuser inbox", id))
			return ui.Unavailablef("the %s pane was closed without an answer", p.kind.name)
		}
	}
	cause := context.Cause(ctx)
	if closed, ok := errors.AsType[*desk.ClosedError](cause); ok {
		p.farewell(closed.Outcome)
	}
	return cause
}

// farewell lets the process in the pane go by itself, which has the same news
// and a human before it. The pane goes with it, or is closed under their
// fingers: they are told why.
func (p *pane) farewell(o desk.Outcome) {
	select {
	case <-p.line.gone:
	case <-time.After(leaving):
	}
	told := desk.Outcome{Status: o.Status}
	if words.Knows(o.Surface) { // the words of others may mean something to the program
		told.Surface = o.Surface
	}
	p.tell(p.place.pane, words.T("Question %s", words.Local.Outcome(&told)))
}
