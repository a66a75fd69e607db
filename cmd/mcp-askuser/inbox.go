package main

import (
	"io"
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
		defer a.leaveSoon() // the user has left
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

// discardLog drops the log of a command that draws on the terminal for hours, if the log
// would be written there too.
func (a *app) discardLog(*cobra.Command, []string) { a.divertLog(io.Discard) }

// deferLog keeps the log of a command that shows a form until it ends, if the log would
// be written to the terminal.
func (a *app) deferLog(*cobra.Command, []string) { a.divertLog(&a.deferred) }

func (a *app) divertLog(to io.Writer) {
	if f, ok := a.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		a.log = slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
}
