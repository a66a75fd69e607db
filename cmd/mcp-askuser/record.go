package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// atDesk completes a command that runs at the desk of this user.
func (a *app) atDesk(cmd *cobra.Command, do func(cmd *cobra.Command, d *desk.Desk, args []string) error) *cobra.Command {
	cmd.RunE = a.checked(func(cmd *cobra.Command, args []string) error {
		d, err := a.desk()
		if err != nil {
			return err
		}
		return do(cmd, d, args)
	})
	a.addFlags(cmd, "dir")
	return cmd
}

// aboutOne completes a command about one record, which its argument names. Its
// ids are completed: those of the past too, or of what waits alone.
func (a *app) aboutOne(cmd *cobra.Command, past bool, do func(ctx context.Context, d *desk.Desk, rec desk.Record) error) *cobra.Command {
	cmd.ValidArgsFunction = a.completeIDs(past)
	return a.atDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, args []string) error {
		rec, err := find(cmd.Context(), d, args[0])
		if err != nil {
			return err
		}
		return do(cmd.Context(), d, rec)
	})
}

// find returns the record whose id begins so.
func find(ctx context.Context, d *desk.Desk, id string) (desk.Record, error) {
	rec, err := d.Find(ctx, id)
	switch {
	case errors.Is(err, desk.ErrNotFound):
		return rec, fmt.Errorf(words.T("%s: %w; mcp-askuser pending and mcp-askuser history list them"), id, err)
	case err != nil:
		return rec, fmt.Errorf("%s: %w", id, err)
	}
	return rec, nil
}

// completeIDs completes the id of a record that waits, or of one of the newest
// that have ended too.
func (a *app) completeIDs(past bool) cobra.CompletionFunc {
	return a.complete(past, func(rec desk.Record) string { return rec.ID })
}

// complete completes one argument with what name makes of records.
func (a *app) complete(past bool, name func(desk.Record) string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		if a.config.Err() != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		d, err := a.desk()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		records, _ := d.Pending(cmd.Context())
		if past {
			ended, _ := collect(cmd.Context(), d, desk.Query{Limit: 50})
			records = append(records, ended...)
		}
		seen := map[string]bool{"": true}
		for _, rec := range records {
			word := name(rec)
			if !seen[word] && strings.HasPrefix(strings.ToUpper(word), strings.ToUpper(begun)) {
				out = append(out, cobra.CompletionWithDesc(word, view.Local(rec).Subject()))
			}
			seen[word] = true
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

func (a *app) lift() *cobra.Command {
	return a.atDesk(&cobra.Command{
		Use:   "lift SESSION",
		Short: "Let a session ask again that has asked too often in a row",
		Long: `Let a session ask again that has reached the limit of rounds in a row
(max_rounds). The limit is lifted for this session and for good. The error
that the agent got names the session, and so does show.`,
		Example:           "  mcp-askuser lift shell-0f3a5b7c9d1e2f40",
		ValidArgsFunction: a.complete(true, func(rec desk.Record) string { return rec.SessionID }),
	}, func(cmd *cobra.Command, d *desk.Desk, args []string) error {
		err := d.Lift(cmd.Context(), args[0])
		if errors.Is(err, desk.ErrNoSession) {
			return fmt.Errorf(words.T("%w; show ID names the session of a question"), err)
		}
		if err == nil {
			fmt.Fprintln(a.err, words.T("The session may ask again."))
		}
		return err
	})
}
