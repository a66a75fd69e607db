package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/desk"
	"mcp-askuser/desk/store"
	"mcp-askuser/question"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// deskWork is what a command does on the desk.
type deskWork func(cmd *cobra.Command, d *desk.Desk, args []string) error

// withDesk completes a command that uses the desk of this user.
func (a *app) withDesk(cmd *cobra.Command, do deskWork) *cobra.Command {
	return a.withSettings(cmd, func(cmd *cobra.Command, args []string) error {
		d, err := a.desk()
		if err != nil {
			return err
		}
		return do(cmd, d, args)
	})
}

// withRecord completes a command about the record that its argument names. The shell
// completes ids of pending records, and with past those of ended ones.
func (a *app) withRecord(cmd *cobra.Command, past bool,
	do func(ctx context.Context, d *desk.Desk, rec desk.Record) error,
) *cobra.Command {
	cmd.ValidArgsFunction = a.completeIDs(past)
	return a.withDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, args []string) error {
		rec, err := find(cmd.Context(), d, args[0])
		if err != nil {
			return err
		}
		return do(cmd.Context(), d, rec)
	})
}

func find(ctx context.Context, d *desk.Desk, id string) (desk.Record, error) {
	rec, err := d.Find(ctx, id)
	switch {
	case errors.Is(err, desk.ErrNotFound):
		return rec, fmt.Errorf("%s: %w; mcp-askuser pending and mcp-askuser history list them", id, err)
	case err != nil:
		return rec, fmt.Errorf("%s: %w", id, err)
	}
	return rec, nil
}

func (a *app) completeIDs(past bool) cobra.CompletionFunc {
	return a.completeFrom(past, func(rec desk.Record) string { return rec.ID })
}

// completeFrom completes one argument with a text of each pending record, and with past
// of the newest that have ended.
func (a *app) completeFrom(past bool, text func(desk.Record) string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
		if a.config.Err() != nil || len(args) > 0 && !strings.Contains(cmd.Use, "...") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		d, err := a.desk()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		records, _ := d.Pending(cmd.Context())
		if past {
			ended, _ := store.Collect(d.History(cmd.Context(), desk.Query{Limit: 50}))
			records = append(records, ended...)
		}
		seen := map[string]bool{"": true}
		for _, rec := range records {
			word := text(rec)
			if !seen[word] && strings.HasPrefix(strings.ToUpper(word), strings.ToUpper(prefix)) {
				out = append(out, cobra.CompletionWithDesc(word, view.Local(rec).Subject()))
			}
			seen[word] = true
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

func (a *app) lift() *cobra.Command {
	return a.asUser(&cobra.Command{
		Use:               "lift SESSION",
		Short:             "Let a session ask again that has asked too often in a row",
		Example:           "  mcp-askuser lift shell-0f3a5b7c9d1e2f40",
		ValidArgsFunction: a.completeFrom(true, func(rec desk.Record) string { return rec.SessionID }),
	}, func(cmd *cobra.Command, d *desk.Desk, args []string) error {
		err := d.Lift(cmd.Context(), args[0])
		if errors.Is(err, desk.ErrNoSession) {
			return fmt.Errorf("%w; show ID names the session of a question", err)
		}
		if err == nil {
			a.tell("The session may ask again.")
		}
		return err
	})
}

func (a *app) dismiss() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dismiss [ID]",
		Short: "Dismiss questions as the user, without answering them",
		Example: `  mcp-askuser dismiss 01JD6Z00
  mcp-askuser dismiss 01JD6Z00 --reason "Ask the team"
  mcp-askuser dismiss 01JD6Z00 --discuss "What would a rollback cost?"
  mcp-askuser dismiss --all --older-than 2d`,
		ValidArgsFunction: a.completeIDs(false),
	}
	reason := cmd.Flags().String("reason", "", "why: a `text` for the agent to read")
	topic := cmd.Flags().String("discuss", "", "discuss it first: a `text` for the agent to read")
	all := cmd.Flags().Bool("all", false, "dismiss all questions that wait")
	older := olderFlag(cmd, "with --all: those of at least this age, a `time` such as 2d, 12w or 36h")
	cmd.MarkFlagsMutuallyExclusive("discuss", "reason")
	cmd.MarkFlagsMutuallyExclusive("discuss", "all")
	return a.withDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, args []string) error {
		switch {
		case *all == (len(args) == 1):
			return errors.New("name the question by its id (mcp-askuser pending), or give --all")
		case *older > 0 && !*all:
			return errors.New("--older-than goes with --all")
		}
		reply := question.Reply{Dismissed: true, Reason: *reason}
		if cmd.Flags().Changed("discuss") {
			reply = question.Reply{Discuss: true, Note: *topic}
		}
		if !*all {
			rec, err := find(cmd.Context(), d, args[0])
			if err != nil {
				return err
			}
			return a.dismissOne(cmd.Context(), d, rec, reply)
		}
		records, err := d.Pending(cmd.Context())
		for _, rec := range records {
			if time.Since(rec.CreatedAt) < *older {
				continue
			}
			failed := a.dismissOne(cmd.Context(), d, rec, reply)
			if failed != nil && !errors.As(failed, new(*desk.ClosedError)) { // the others are dismissed all the same
				err = errors.Join(err, fmt.Errorf("%s: %w", rec.ID, failed))
			}
		}
		return errors.Join(err, leftOut(d))
	})
}

func (a *app) dismissOne(ctx context.Context, d *desk.Desk, rec desk.Record, reply question.Reply) error {
	_, err := d.Reply(ctx, rec.ID, reply, a.evidence())
	if err != nil {
		return err
	}
	what := "Dismissed"
	if reply.Discuss {
		what = "To be discussed first"
	}
	a.tellf("%s: %s; %s is told so.", what, rec.ID, words.English.Asker(rec.Asker))
	return nil
}

// evidence is the evidence of a reply that a command gives without a form.
func (a *app) evidence() desk.Evidence {
	from := desk.Evidence{Surface: words.Shell, How: desk.HowCommand}
	if term.IsTerminal(int(a.in.Fd())) {
		from.How = desk.HowTerminal
	}
	return from
}

// byUser reports whether the user runs this command, in a terminal of their own.
func (a *app) byUser() bool {
	return a.evidence().How == desk.HowTerminal && desk.UsersTerminal()
}

func (a *app) cancel() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "cancel ID",
		Short:   "Withdraw a question as the one who asked it",
		Example: `  mcp-askuser cancel 01JD6Z00 --reason "No longer needed"`,
	}
	reason := cmd.Flags().String("reason", "", "why: a `text` for the user to read")
	return a.withRecord(cmd, false, func(ctx context.Context, d *desk.Desk, rec desk.Record) error {
		end := desk.Outcome{Status: desk.Cancelled, Reason: *reason, Surface: words.Shell}
		_, err := d.Close(ctx, rec.ID, end)
		if err != nil {
			return err
		}
		a.tellf("Withdrawn: %s", rec.ID)
		return nil
	})
}

func (a *app) reopen() *cobra.Command {
	return a.withRecord(&cobra.Command{
		Use:   "reopen ID",
		Short: "Ask an ended question again",
		Example: `  mcp-askuser reopen 01JD6Z00
  mcp-askuser answer "$(mcp-askuser reopen 01JD6Z00)"`,
	}, true, func(ctx context.Context, d *desk.Desk, rec desk.Record) error {
		again, err := d.Reopen(ctx, rec.ID)
		if errors.Is(err, desk.ErrPending) {
			return fmt.Errorf("%w: mcp-askuser answer %s", err, again.ID)
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(a.out, again.ID)
		a.tell(words.Reopened)
		return nil
	})
}
