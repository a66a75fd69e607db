package main

import (
	"errors"
	"log/slog"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
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
		Use:   "serve",
		Short: "Serve MCP over standard input and output",
		Args:  arguments(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.serveMCP(cmd) },
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
	err = stdio.Serve(cmd.Context(), server.New(buildVersion(), tools), a.in, a.out, stdio.Options{
		Options: server.Options{Directory: a.directory(), Log: log},
	})
	presenter.Close(askuser.ErrDisconnected)
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
