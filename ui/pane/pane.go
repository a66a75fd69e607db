//go:build unix

package pane

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/words"
)

const (
	// startLimit is how long the process in a new pane may take to start. A terminal
	// emulator on a busy machine takes seconds.
	startLimit = 5 * time.Second
	// endDelay is how long the desk may take to report an answer after the end of the
	// process that gave it.
	endDelay = 500 * time.Millisecond
	// exitDelay is how long the process in a pane may take to exit by itself after
	// the question has ended.
	exitDelay = 150 * time.Millisecond
)

// title is the name of a pane or window.
func title() string { return words.T("question") }

// pane is an open pane or window and the process in it.
type pane struct {
	program  string // "tmux" or "desktop", in messages
	lifeline *lifeline
	stop     context.CancelFunc // ends the command of a terminal emulator

	tmux *tmux // nil for a window on a desktop, which has no id and no view
	id   string
	view view // before the pane was opened
}

// start waits until the process in the pane runs, or else closes the pane. Failed
// receives the error of the command that opens it.
func (p *pane) start(ctx context.Context, failed <-chan error) (*pane, error) {
	var err error
	select {
	case <-p.lifeline.started:
		return p, nil
	case err = <-failed:
		err = ui.Unavailablef("%s: %v", p.program, err)
	case <-time.After(startLimit):
		err = ui.Unavailablef("the %s pane did not start within %s", p.program, startLimit)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	p.close()
	return nil, err
}

// wait waits until the question or the pane has ended.
func (p *pane) wait(ctx context.Context, id string) error {
	select {
	case <-ctx.Done():
	case <-p.lifeline.gone:
		select {
		case <-ctx.Done():
		case <-time.After(endDelay):
			p.showLine(words.T("The question is still open: mcp-askuser answer %s, or mcp-askuser inbox", id))
			return ui.Unavailablef("the %s pane was closed without an answer", p.program)
		}
	}
	cause := context.Cause(ctx)
	if closed, ok := errors.AsType[*desk.ClosedError](cause); ok {
		p.showEnd(closed.Outcome)
	}
	return cause
}

// showEnd gives the process in the pane time to exit by itself, and shows the user why
// the pane closes.
func (p *pane) showEnd(o desk.Outcome) {
	select {
	case <-p.lifeline.gone:
	case <-time.After(exitDelay):
	}
	if !words.Knows(o.Surface) { // it may contain a format of tmux's
		o.Surface = ""
	}
	p.showLine(words.T("Question %s", words.Local.Outcome(&desk.Outcome{Status: o.Status, Surface: o.Surface})))
}

// showLine shows a line beside the asker's pane.
func (p *pane) showLine(text string) {
	if p.tmux != nil {
		p.tmux.showLine(p.tmux.pane, text)
	}
}

// close closes the pane, if it still exists, within 250 ms.
func (p *pane) close() {
	defer p.lifeline.close()
	defer p.stop()
	if p.id != "" {
		// Also without its process: the user's tmux may keep such panes.
		_, _ = p.tmux.run("kill-pane", "-t", p.id)
		return
	}
	p.lifeline.kill()
}

// newCommand returns a command with additional variables. It runs in a session of its
// own, without our terminal and its Ctrl+C.
func newCommand(ctx context.Context, argv, env []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // tmux, or a terminal emulator of the table
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = time.Second
	return cmd
}

// outputOf runs cmd and returns its output without surrounding white space. Its
// error is the last line of standard error.
func outputOf(cmd *exec.Cmd) (string, error) {
	output, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		text := strings.TrimSpace(string(exit.Stderr))
		if text = text[strings.LastIndexByte(text, '\n')+1:]; text != "" {
			err = errors.New(question.Shorten(question.Line(text), 200))
		}
	}
	return strings.TrimSpace(string(output)), err
}

// ours reports whether the file belongs to this user: another user's server would run
// our command.
func ours(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
