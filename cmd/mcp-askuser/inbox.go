package main

import (
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/desk"
	"mcp-askuser/ui/inbox"
	"mcp-askuser/ui/pane"
)

func (a *app) inbox() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "inbox",
		Short:   "Show everything that waits, from all agents, and answer it here",
		Example: "  mcp-askuser inbox",
		PreRun:  a.discardLog,
	}
	a.addFlags(cmd, "no_color")
	return a.withDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, _ []string) error {
		defer a.listenToPhone(d)()
		out, _ := a.out.Writer.(*os.File)
		return inbox.Run(cmd.Context(), inbox.Options{
			Desk:   d,
			In:     a.in,
			Out:    out,
			Getenv: a.environ(),
			Shown:  func(release func()) { a.screen.Store(&release) },
			Go:     pane.Go,
		})
	})
}

// discardLog drops the log of a command that draws on the terminal, if the log would be
// written there too.
func (a *app) discardLog(*cobra.Command, []string) {
	f, ok := a.err.(*os.File)
	if ok && term.IsTerminal(int(f.Fd())) {
		a.log = slog.New(slog.DiscardHandler)
	}
}
