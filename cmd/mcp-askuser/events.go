package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/ui/api"
)

func (a *app) events() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "events",
		Short:   "Print a JSON line for each question asked, answered or ended",
		Example: "  mcp-askuser events\n  mcp-askuser events --since 1h | jq -r .id",
	}
	since := sinceFlag(cmd)
	return a.withDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, _ []string) error {
		ctx := cmd.Context()
		if pipe, ok := a.out.Writer.(*os.File); ok {
			ctx = untilUnread(ctx, pipe)
		}
		live, err := d.Watch(ctx) // before the past is read, so that no event is missed
		if err != nil {
			return err
		}
		printed := map[string]bool{}
		if !since.IsZero() {
			printed, err = a.printPast(ctx, d, *since)
			if err != nil {
				return err
			}
		}
		for ev := range live {
			if err := a.printEvent(ev, printed); err != nil {
				return err
			}
		}
		if ctx.Err() == nil {
			return errors.New("questions can no longer be watched; see above")
		}
		return context.Cause(ctx)
	})
}

// printEvent prints an event that is not in printed.
func (a *app) printEvent(ev desk.Event, printed map[string]bool) error {
	key := string(ev.Type) + ev.Record.ID
	if printed[key] {
		delete(printed, key) // it occurs once
		return nil
	}
	if ev.Type == desk.Touched || ev.Type == desk.Settled && ev.Record.Later == nil {
		return nil // neither is an event here
	}
	return a.printJSONLine(api.NewEvent(ev))
}

// printPast prints the events since a time, in order, and returns which they are.
func (a *app) printPast(ctx context.Context, d *desk.Desk, since time.Time) (map[string]bool, error) {
	records := map[string]desk.Record{}
	// Pending first: a record that ends meanwhile is in both lists.
	open, err := d.Pending(ctx)
	if err != nil {
		return nil, err
	}
	for _, rec := range open {
		records[rec.ID] = rec
	}
	for rec, err := range d.History(ctx, desk.Query{}) {
		if err != nil {
			return nil, err
		}
		if !rec.Outcome.At.Before(since) || !rec.CreatedAt.Before(since) {
			records[rec.ID] = rec
		}
	}
	var past []desk.Event
	for _, rec := range records {
		if rec.Outcome == nil || !rec.CreatedAt.Before(since) {
			past = append(past, desk.Event{Type: desk.Asked, Record: rec})
		}
		if rec.Outcome != nil {
			past = append(past, desk.Event{Type: desk.Ended, Record: rec})
		}
	}
	slices.SortFunc(past, func(x, y desk.Event) int { return at(x).Compare(at(y)) })
	printed := map[string]bool{}
	for _, ev := range past {
		if err := a.printEvent(ev, nil); err != nil {
			return nil, err
		}
		printed[string(ev.Type)+ev.Record.ID] = true
	}
	return printed, nil
}

// at is the time of an event.
func at(ev desk.Event) time.Time {
	if ev.Type == desk.Ended {
		return ev.Record.Outcome.At
	}
	return ev.Record.CreatedAt
}
