package main

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
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
		ctx, stop := context.WithCancel(cmd.Context())
		defer stop() // before the store closes
		if pipe, ok := a.out.Writer.(*os.File); ok {
			ctx = untilUnread(ctx, pipe)
		}
		live, err := d.Watch(ctx) // before the past is read, so that no event is missed
		if err != nil {
			return err
		}
		var printed map[string]desk.Event
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
func (a *app) printEvent(ev desk.Event, printed map[string]desk.Event) error {
	key := string(ev.Type) + ev.Record.ID
	_, again := printed[key]
	if again {
		delete(printed, key) // it occurs once
		return nil
	}
	if ev.Type == desk.Touched || ev.Type == desk.Settled && ev.Record.Later == nil {
		return nil // neither is an event here
	}
	return a.printJSONLine(api.NewEvent(ev))
}

// printPast prints the events since a time, in order, and returns them.
func (a *app) printPast(ctx context.Context, d *desk.Desk, since time.Time) (map[string]desk.Event, error) {
	past := map[string]desk.Event{}
	add := func(kind desk.EventType, rec desk.Record) {
		past[string(kind)+rec.ID] = desk.Event{Type: kind, Record: rec}
	}
	// Pending first: a record that ends meanwhile is in both lists.
	open, err := d.Pending(ctx)
	if err != nil {
		return nil, err
	}
	for _, rec := range open {
		add(desk.Asked, rec)
	}
	const clocks = 24 * time.Hour // other machines may have other ones
	for rec, err := range d.History(ctx, desk.Query{Touched: since.Add(-clocks)}) {
		if err != nil {
			return nil, err
		}
		if !rec.CreatedAt.Before(since) {
			add(desk.Asked, rec)
		}
		if !rec.Outcome.At.Before(since) {
			add(desk.Ended, rec)
		}
	}
	err = leftOut(d)
	if err != nil { // nothing is printed: what happened there could follow no more
		return nil, err
	}
	for _, ev := range slices.SortedFunc(maps.Values(past), inOrder) {
		if err := a.printEvent(ev, nil); err != nil {
			return nil, err
		}
	}
	return past, nil
}

// inOrder compares events by their times. A response is never before its request, which another
// machine may have dated.
func inOrder(x, y desk.Event) int {
	return cmp.Or(at(x).Compare(at(y)), strings.Compare(string(x.Type), string(y.Type))) // asked, ended
}

func at(ev desk.Event) time.Time {
	asked := ev.Record.CreatedAt
	if ev.Type == desk.Ended && ev.Record.Outcome.At.After(asked) {
		return ev.Record.Outcome.At
	}
	return asked
}
