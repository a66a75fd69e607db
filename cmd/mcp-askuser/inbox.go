package main

import (
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/desk"
	"mcp-askuser/ui/inbox"
	"mcp-askuser/ui/notify"
)

func (a *app) inbox() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "inbox",
		Short:   "Show everything that waits, from all agents, and answer it here",
		Example: "  mcp-askuser inbox",
		Long: `Show everything that waits, from all agents, and answer it here. New questions
show up by themselves; what was decided before is in the history, and can be
reopened there. What is being typed is kept, whatever ends the inbox; what was
sent is printed when it ends. Press ? for the keys.

While an inbox is open, questions count as seen by somebody. Log messages are
dropped unless standard error goes elsewhere than to a terminal.`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.settings()
			if err != nil {
				return err
			}
			log := a.quietLog()
			d, err := a.desk(s, log)
			if err != nil {
				return err
			}
			defer a.listenToPhone(s, d, log)()
			out, _ := a.out.Writer.(*os.File)
			return inbox.Run(cmd.Context(), inbox.Options{
				Desk:   d,
				In:     a.in,
				Out:    out,
				Getenv: a.environ(s),
				Ring:   func(w io.Writer, rec desk.Record) error { return notify.Ring(w, a.getenv, rec) },
			})
		},
	}
	a.addFlags(cmd, "dir", "no_color")
	return cmd
}

// quietLog returns the logger of a command that draws on the terminal: a line of
// log would be written across it.
func (a *app) quietLog() *slog.Logger {
	if f, ok := a.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return slog.New(slog.DiscardHandler)
	}
	return a.log(slog.LevelWarn)
}
