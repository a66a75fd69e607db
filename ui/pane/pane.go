//go:build unix

package pane

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"mcp-askuser/question"
	"mcp-askuser/ui"
)

// patience is how long one command of a multiplexer may take.
const patience = 3 * time.Second

// pane is an open pane and the process in it.
type pane struct {
	kind  *kind
	place place
	view  view
	id    string // empty if the kind has no ids
	line  *lifeline
	leave context.CancelFunc // ends the command that opened it: a terminal emulator's lives on
}

// open opens a pane in which argv runs; see wrapper. The error wraps
// ui.ErrUnavailable, or is the cause of ctx's end.
func open(ctx context.Context, k *kind, at place, argv []string) (*pane, error) {
	v, err := k.view(at)
	if err == nil && k.grabs && !v.calm.IsZero() {
		v, err = k.until(ctx, at, func(v view, err error) bool { return v.focus || v.calm.IsZero() })
	}
	switch {
	case err != nil:
		return nil, err
	case k.grabs && !v.focus:
		return nil, k.unasked()
	}
	line, err := newLifeline()
	if err != nil {
		return nil, ui.Unavailablef("%v", err)
	}
	opening, leave := context.WithCancel(context.WithoutCancel(ctx))
	p := &pane{kind: k, place: at, view: v, line: line, leave: leave}
	if err := p.start(ctx, at.command(opening, k.open(at, v, line.command(argv, v)))); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// start runs the command that opens the pane, and waits until the pane's
// process runs. A terminal emulator stays for as long as its window, a
// multiplexer's command goes at once.
func (p *pane) start(ctx context.Context, cmd *exec.Cmd) error {
	var output string
	ended := make(chan error, 1)
	go func() {
		var err error
		output, err = outputOf(cmd)
		ended <- err
	}()
	late := time.After(startup)
	started, named := p.line.started, p.kind.id == nil
	for started != nil || !named {
		select {
		case <-started:
			started = nil
		case err := <-ended:
			if err != nil {
				return ui.Unavailablef("%s: %v", p.kind.name, err)
			}
			if p.kind.id == nil {
				break
			}
			if !p.kind.id.MatchString(output) {
				return ui.Unavailablef("%s named its new pane %q", p.kind.name, question.Line(output))
			}
			p.id, named = output, true
		case <-late:
			return ui.Unavailablef("the %s pane did not start within %s", p.kind.name, startup)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// close closes the pane, if it is still there, within 250 ms.
func (p *pane) close() {
	defer p.line.close()
	defer p.leave()
	if p.id != "" {
		// Even without its process: the user may have told the program to keep such panes.
		_, _ = p.place.run(p.kind.shut(p.id))
		return
	}
	select {
	case <-p.line.started:
	default:
		return // a process that comes now ends by itself
	}
	if p.line.process == nil {
		return // it ends with its question
	}
	for _, sig := range [...]os.Signal{syscall.SIGHUP, os.Kill} {
		select {
		case <-p.line.gone:
			return
		default:
			_ = p.line.process.Signal(sig)
		}
		select {
		case <-p.line.gone:
		case <-time.After(leaving):
		}
	}
}

// run runs one of the program's commands and returns what it printed, without
// white space around it. It does not end with a context: half a command leaves
// a pane of which nobody knows.
func (at place) run(args []string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	output, err := outputOf(at.command(ctx, args))
	if ctx.Err() != nil {
		return "", errors.New("it does not respond")
	}
	return output, err
}

// command is one of the program's commands, in a session of its own: it has no
// business with our terminal, and our Ctrl+C none with it.
func (at place) command(ctx context.Context, args []string) *exec.Cmd {
	//nolint:gosec // a multiplexer of the table, at a place that was checked
	cmd := exec.CommandContext(ctx, at.server[0], append(at.server[1:len(at.server):len(at.server)], args...)...)
	cmd.Env = append(os.Environ(), at.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = time.Second
	return cmd
}

// outputOf runs cmd. Its error is the last line of what cmd said.
func outputOf(cmd *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err == nil {
		return strings.TrimSpace(stdout.String()), nil
	}
	said := strings.TrimSpace(stderr.String())
	if said = said[strings.LastIndexByte(said, 0x0a)+1:]; said != "" {
		return "", errors.New(question.Shorten(question.Line(said), 200))
	}
	return "", err
}

// ours reports whether the file is this user's: a socket of somebody else's
// would have them run our command.
func ours(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
