package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/pane"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/tty"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

func (a *app) answer() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "answer [ID]",
		Short: "Answer a question here or from JSON: one by its id, or the oldest",
		Example: `  mcp-askuser answer
  mcp-askuser answer 01JD6Z00 --json '{"question-0":"PostgreSQL"}'
  mcp-askuser answer 01JD6Z00 --json '{"discuss":true,"note":"Why not SQLite?"}'`,
		ValidArgsFunction: a.completeIDs(false),
		PreRun:            a.discardLog,
	}
	data := cmd.Flags().String("json", "", "the answers as `JSON`, or - for standard input")
	plain := cmd.Flags().Bool("plain", false, "answer line by line, without a full screen")
	return a.withDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, args []string) error {
		fromJSON := cmd.Flags().Changed("json")
		rec, err := toAnswer(cmd.Context(), d, args, fromJSON)
		switch {
		case fromJSON && err != nil:
			return a.refuseAnswer(rec, err)
		case fromJSON:
			return a.answerJSON(cmd.Context(), d, rec, *data)
		case err != nil:
			return err
		}
		on := a.terminal(d, *plain)
		if a.getenv(pane.Variable) != "" {
			on = pane.Answering(on)
		}
		if a.getenv(pane.Variable) == pane.Ring {
			fmt.Fprint(a.err, "\a")
		}
		return a.answerHere(cmd.Context(), d, rec, on)
	})
}

// toAnswer returns the record to answer: the one named, or the oldest open one. A
// program that names none might answer the wrong agent, so it needs a single one.
func toAnswer(ctx context.Context, d *desk.Desk, args []string, program bool) (desk.Record, error) {
	if len(args) == 1 {
		rec, err := find(ctx, d, args[0])
		if err == nil && rec.Outcome != nil {
			err = &desk.ClosedError{ID: rec.ID, Outcome: *rec.Outcome}
		}
		return rec, err
	}
	records, err := d.Pending(ctx)
	if err == nil && len(records) == 0 {
		err = d.Away()
	}
	switch {
	case err != nil:
		return desk.Record{}, err
	case len(records) == 0:
		return desk.Record{}, api.Problemf(api.QuestionNotFound, "nothing waits for an answer")
	case program && len(records) > 1:
		list := pendingTable(records, time.Now())
		return desk.Record{}, api.Problemf(api.AmbiguousID, "%d questions wait; name the one to answer by its id:\n%s",
			len(records), strings.TrimSuffix(list.text(0), "\n"))
	}
	return records[0], nil
}

func (a *app) terminal(d *desk.Desk, plain bool) ui.Surface {
	beside := a.getenv(pane.Variable) != ""
	options := tty.Options{Getenv: a.environ(), Desk: d, Lock: a.terminalLock, Opened: !beside, Pane: beside}
	if plain {
		return tty.NewPlain(options)
	}
	return tty.New(options)
}

// answerHere shows the record on a surface until it ends, here or elsewhere. It
// stays open if this command ends before.
func (a *app) answerHere(ctx context.Context, d *desk.Desk, rec desk.Record, on ui.Surface) error {
	if err := d.MayAnswer(ctx, rec, ui.Evidence(on.Name(), false)); err != nil {
		return err
	}
	presenter := present.New(present.Options{Desk: d, Log: a.log})
	defer presenter.Close(nil)
	w, err := presenter.Show(ctx, rec.ID, func(*present.Presentation) []ui.Surface { return []ui.Surface{on} })
	if err != nil {
		return err
	}
	select {
	case <-w.Unshown():
	case <-ctx.Done():
		presenter.Close(context.Cause(ctx))
	}
	switch why := w.UnshownReason(); {
	case errors.Is(why, ui.ErrUnavailable):
		err = fmt.Errorf("no way to answer here (%w); run it in a terminal of its own, or answer in mcp-askuser inbox",
			why)
		return &exitError{exitNoSurface, err}
	case errors.Is(why, ui.ErrInterrupted):
		return why
	case why != nil:
		return why
	}
	<-w.Ended()
	ended, err := w.Result()
	if err != nil {
		return err
	}
	shown := view.Local(ended)
	a.tell(capital(shown.Ended()) + ": " + shown.Subject())
	if code := exitOf(ended.State); code != 0 {
		return &exitError{code, nil}
	}
	return nil
}

// answerJSON answers the record from JSON, and prints the result as JSON.
func (a *app) answerJSON(ctx context.Context, d *desk.Desk, rec desk.Record, data string) error {
	raw, err := a.input([]string{data})
	if err != nil {
		return err
	}
	reply, err := rec.ParseReply(raw, true)
	if err != nil {
		return a.refuseAnswer(rec, err)
	}
	ended, err := d.Reply(ctx, rec.ID, reply, desk.Evidence{Surface: words.Shell, How: desk.HowCommand})
	if err != nil {
		return a.refuseAnswer(rec, err)
	}
	return a.printJSONLine(api.Done{Success: true, ID: ended.ID, Status: ended.State,
		Message: "Recorded for " + words.English.Asker(rec.Asker) + "."})
}

// refuseAnswer prints why an answer was not taken, and returns the error.
func (a *app) refuseAnswer(rec desk.Record, err error) error {
	return cmp.Or(a.printJSONLine(api.Refused(api.Late(&rec.Set, err))), err)
}
