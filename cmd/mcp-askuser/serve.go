package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"mcp-askuser/server"
	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui"
)

type serveFlags struct{ surface, hold, timeout string }

func (f *serveFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.surface, "surface", "", "where to ask: auto, or names in order (ASK_SURFACE)")
	cmd.Flags().StringVar(&f.hold, "hold", "", "how long one tool call waits before it hands out a ticket; by host unless given (ASK_HOLD)")
	cmd.Flags().StringVar(&f.timeout, "timeout", "", "how long the user may take, 0 for no limit (ASK_TIMEOUT)")
}

func (a *app) serve() *cobra.Command {
	var flags serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP over standard input and output",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.serveMCP(cmd.Context(), flags) },
	}
	flags.add(cmd)
	return cmd
}

// serveMCP serves until the client ends the connection or a signal arrives;
// both are ordinary ends.
func (a *app) serveMCP(ctx context.Context, flags serveFlags) error {
	signal.Ignore(syscall.SIGPIPE) // see server.Serve
	s, err := a.settings(flags.surface, flags.timeout, flags.hold)
	if err != nil {
		return err
	}
	log := a.log(slog.LevelInfo)
	d, err := a.desk(log)
	if err != nil {
		return err
	}
	presenter := ui.NewPresenter(d, log)
	tools := askuser.New(askuser.Config{
		Desk:      d,
		Presenter: presenter,
		Log:       log,
		Limits:    s.limits,
		Surfaces:  s.surfaces,
		Hold:      s.hold,
		Timeout:   s.timeout,
		Session:   rand.Text(),
		Directory: a.directory(),
	})
	err = server.Serve(ctx, server.New(buildVersion(), tools), a.in, a.out, server.WithLogger(log))
	presenter.Close(askuser.ErrDisconnected)
	tools.Close()
	var sig *signalError
	if errors.As(err, &sig) || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
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
