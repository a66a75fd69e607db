package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

func (a *app) dismiss() *cobra.Command {
	var reason, topic string
	cmd := &cobra.Command{
		Use:   "dismiss ID",
		Short: "Close a question as the user, without answering it",
		Long: `Close a question as the user, without answering it: with a reason, if there is
one to give, or to discuss it with the agent first. Run by a program, without a
terminal, it is the program's word and not the user's.`,
		Example: `  mcp-askuser dismiss 01JD6Z00
  mcp-askuser dismiss 01JD6Z00 --reason "Ask the team"
  mcp-askuser dismiss 01JD6Z00 --discuss "What would a rollback cost?"`,
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why: a `text` for the agent to read")
	cmd.Flags().StringVar(&topic, "discuss", "", "discuss it first: a `text` for the agent to read")
	return a.aboutOne(cmd, false, func(ctx context.Context, d *desk.Desk, rec desk.Record) error {
		reply := question.Reply{Dismissed: true, Reason: reason}
		done, later := words.Mark("Dismissed %[1]s; %[2]s is told so."), words.Mark("Dismissed %[1]s; %[2]s is told so when it comes back.")
		if cmd.Flags().Changed("discuss") {
			if cmd.Flags().Changed("reason") {
				return errors.New(words.T("--reason closes the question, --discuss puts it back to talk about it; give one of the two"))
			}
			reply = question.Reply{Discuss: true, Note: topic}
			done, later = words.Mark("Put back to be discussed: %[1]s; %[2]s is told so."), words.Mark("Put back to be discussed: %[1]s; %[2]s is told so when it comes back.")
		}
		if _, err := d.Reply(ctx, rec.ID, reply, a.evidence()); err != nil {
			return err
		}
		if !rec.Attended {
			done = later
		}
		fmt.Fprintln(a.err, words.T(done, rec.ID, words.Local.Asker(rec.Asker)))
		return nil
	})
}

// evidence is what a reply by a command without a form proves of its answerer.
func (a *app) evidence() desk.Evidence {
	from := desk.Evidence{Surface: words.Shell, How: desk.HowCommand}
	if term.IsTerminal(int(a.in.Fd())) {
		from.How = desk.HowTerminal
	}
	return from
}

func (a *app) cancel() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:     "cancel ID",
		Short:   "Withdraw a question as the one who asked it",
		Example: `  mcp-askuser cancel 01JD6Z00 --reason "No longer needed"`,
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why: a `text` for the user to read")
	return a.aboutOne(cmd, false, func(ctx context.Context, d *desk.Desk, rec desk.Record) error {
		if _, err := d.Close(ctx, rec.ID, desk.Outcome{Status: desk.Cancelled, Reason: reason, Surface: words.Shell}); err != nil {
			return err
		}
		fmt.Fprintln(a.err, words.T("Withdrawn: %s", rec.ID))
		return nil
	})
}

func (a *app) reopen() *cobra.Command {
	return a.aboutOne(&cobra.Command{
		Use:   "reopen ID",
		Short: "Ask an ended question again, with your former answers filled in",
		Long: `Ask an ended question again, with your former answers filled in, and print the
id under which it waits now. The agent gets the new answer when it asks the same
again, or awaits either ticket.`,
		Example: `  mcp-askuser reopen 01JD6Z00
  mcp-askuser answer "$(mcp-askuser reopen 01JD6Z00)"`,
	}, true, func(ctx context.Context, d *desk.Desk, rec desk.Record) error {
		again, err := d.Reopen(ctx, rec.ID)
		if errors.Is(err, desk.ErrPending) {
			return fmt.Errorf(words.T("%w: mcp-askuser answer %s"), err, again.ID)
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(a.out, again.ID); err != nil {
			return err
		}
		fmt.Fprintln(a.err, words.T(words.Reopened))
		return nil
	})
}
