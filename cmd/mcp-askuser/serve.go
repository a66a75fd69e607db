package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/mirror/codex"
	"mcp-askuser/server"
	"mcp-askuser/server/stdio"
	"mcp-askuser/tools/askuser"
)

// serveFlags gives a command the flags of those that serve MCP.
func (a *app) serveFlags(cmd *cobra.Command) {
	a.addFlags(cmd, "dir", "hold")
	a.addFlags(cmd, askKeys[:]...)
	a.addFlags(cmd, limitKeys[:]...)
}

func (a *app) serve() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "serve",
		Short:   "Serve MCP over standard input and output",
		Example: "  claude mcp add askuser -- mcp-askuser serve\n  mcp-askuser serve --surface inbox,web --hold 5m",
		Args:    arguments(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.serveMCP(cmd) },
	}
	a.serveFlags(cmd)
	return cmd
}

// serveMCP serves until the client ends the connection or a signal arrives;
// both are ordinary ends.
func (a *app) serveMCP(cmd *cobra.Command) error {
	s, err := a.settings()
	if err != nil {
		return err
	}
	log := a.log(slog.LevelInfo)
	d, err := a.desk(s, log)
	if err != nil {
		return err
	}
	presenter := a.presenter(s, d, log)
	page := a.webSurface(s, d, presenter, log)
	defer page.Close()
	surfaces := a.surfaces(s, d, page, desk.Dismissed)
	tools := askuser.New(askuser.Config{
		Desk:      d,
		Presenter: presenter,
		Log:       log,
		Limits:    s.Limits,
		Surfaces:  surfaces,
		Whole:     whole(s, surfaces),
		Hold:      s.Hold,
		Timeout:   s.Timeout,
		Attended:  a.attended,
		Command:   a.inboxCommand(s),
		Templates: a.templatesFor,
		Host:      os.Getppid(),
	})
	defer a.watchCodex(cmd.Context(), s, d, log)()
	err = stdio.Serve(cmd.Context(), server.New(buildVersion(), tools), resting(a.in), a.out, stdio.Options{
		Options: server.Options{Directory: a.directory(), Log: log},
	})
	presenter.Close(askuser.ErrDisconnected)
	var sig *signalError
	if errors.As(err, &sig) || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// input is standard input. Once nothing has come for a while, the memory that
// hundreds of calls took to arrive goes back to the system: they wait for humans
// now.
type input struct {
	*os.File
	rest *time.Timer
}

func resting(in *os.File) *input {
	return &input{in, time.AfterFunc(quiet, func() {
		if runtime.NumGoroutine() < 500 {
			return
		}
		for range 3 { // each halves the stacks that are not used
			runtime.GC()
		}
		debug.FreeOSMemory()
	})}
}

// quiet is how long nothing comes until then.
const quiet = 2 * time.Second

func (in *input) Read(p []byte) (int, error) {
	n, err := in.File.Read(p)
	in.rest.Reset(quiet)
	return n, err
}

// Close ends the waiting for input, and for quiet.
func (in *input) Close() error {
	in.rest.Stop()
	return in.File.Close()
}

// watchCodex mirrors Codex's questions, where it is Codex's daemon that has
// started us; stop ends that.
func (a *app) watchCodex(ctx context.Context, s settings.Values, d *desk.Desk, log *slog.Logger) (stop func()) {
	if !s.MirrorCodex {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		codex.Watch(ctx, codex.Options{Desk: d, Log: log, Socket: codex.Socket(a.getenv), Daemon: os.Getppid(), Version: buildVersion(), Notify: a.notifier(s, d, log)})
	})
	return func() {
		cancel()
		watching.Wait()
	}
}

// directory is the project that the asker works in.
func (a *app) directory() string {
	if dir := a.getenv("CLAUDE_PROJECT_DIR"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
