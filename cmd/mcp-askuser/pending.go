package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

func (a *app) pending() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "pending",
		Short: "List the questions that wait for an answer, oldest first",
		Long: `List the questions that wait for an answer, oldest first. STATE says whether the
agent waits for it, or is away and collects it later.`,
		Example: "  mcp-askuser pending\n  mcp-askuser pending --json | jq -r '.[].id'",
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the records as a JSON array")
	return a.atDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, _ []string) error {
		records, err := d.Pending(cmd.Context())
		switch {
		case err != nil:
			return err
		case asJSON:
			return a.stream(func(yield func(desk.Record, error) bool) { // one at a time: ten thousand are ten megabytes
				for _, rec := range records {
					if !yield(rec, nil) {
						return
					}
				}
			}, "json")
		case len(records) == 0:
			fmt.Fprintln(a.err, words.T("Nothing waits for an answer."))
			return nil
		}
		return a.printTable(pendingTable(records, time.Now()))
	})
}

func pendingTable(records []desk.Record, now time.Time) table {
	var t table
	t.add("ID", words.T("AGE"), words.T("ASKED BY"), words.T("ROUND"), words.T("STATE"), words.T("QUESTION"))
	for i, id := range shortened(records, shortOpen) {
		rec := view.Local(records[i])
		t.add(id, rec.Age(now), rec.AskedBy(), strconv.Itoa(rec.Round), rec.Attention(), rec.Subject())
	}
	return t
}
