package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

func (a *app) await() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:               "await ID...",
		Short:             "Wait for the answer to a question, or to the first of several",
		Example:           "  mcp-askuser await 01JD6Z00\n  mcp-askuser await --no-wait 01JD6Z00 01JD6Z01",
		ValidArgsFunction: a.completeIDs(true),
	}
	cmd.Flags().BoolVar(&a.noWait, "no-wait", false, "print the answers that exist, and exit")
	addFormatFlag(cmd, &format, wire.Formats())
	return a.withDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, args []string) error {
		if len(args) > 1 && !cmd.Flags().Changed("format") {
			format = "json" // names the question
		}
		presenter := a.presenter(d)
		defer presenter.Close(nil)
		var all []*present.Waiter
		for _, id := range args {
			rec, err := find(cmd.Context(), d, id)
			if err != nil {
				return err
			}
			w, err := presenter.Join(cmd.Context(), rec.ID, func(*present.Presentation) []ui.Surface { return nil })
			if err != nil {
				return err
			}
			defer w.Leave()
			all = append(all, w)
			w.SignalWith(all[0])
		}
		for !a.noWait && !slices.ContainsFunc(all, (*present.Waiter).HasEnded) {
			select {
			case <-all[0].Changed():
			case <-cmd.Context().Done():
				return context.Cause(cmd.Context())
			}
		}
		var status error = &exitError{exitPending, nil}
		for _, w := range all {
			if w.HasEnded() { // the status is that of the last one
				status = a.printEnd(d, w, func(d *desk.Desk, rec desk.Record) (string, error) {
					return formatRecord(cmd.Context(), d, rec, format)
				})
			}
		}
		return status
	})
}
