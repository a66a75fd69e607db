package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

func (a *app) dismiss() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "dismiss ID",
		Short: "Close a question as the user, without answering it",
		Args:  arguments(1, 1),
		RunE: a.onRecord(func(ctx context.Context, d *desk.Desk, rec desk.Record) error {
			if _, err := d.Reply(ctx, rec.ID, question.Reply{Dismissed: true, Reason: reason}, words.Shell); err != nil {
				return err
			}
			fmt.Fprintf(a.err, "Dismissed %s; %s is told so%s.\n", rec.ID, words.Asker(rec.Asker), when(rec))
			return nil
		}),
	}
	a.addFlags(cmd, "dir")
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the agent to read")
	return cmd
}

func (a *app) cancel() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "cancel ID",
		Short: "Withdraw a question as the one who asked it",
		Args:  arguments(1, 1),
		RunE: a.onRecord(func(ctx context.Context, d *desk.Desk, rec desk.Record) error {
			if _, err := d.Close(ctx, rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: reason, Surface: words.Shell}); err != nil {
				return err
			}
			fmt.Fprintf(a.err, "Withdrawn: %s\n", rec.ID)
			return nil
		}),
	}
	a.addFlags(cmd, "dir")
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the agent to read")
	return cmd
}

// when says when the outcome of a record that was open reaches its asker.
func when(rec desk.Record) string {
	if rec.Attended {
		return ""
	}
	return " when it comes back"
}
