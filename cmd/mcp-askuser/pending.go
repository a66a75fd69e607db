package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
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
		rec := records[i]
		age, _ := words.Local.Age(now.Sub(rec.CreatedAt))
		t.add(id, age, words.Local.Asker(rec.Asker), strconv.Itoa(rec.Round), attention(rec), words.Local.Subject(rec))
	}
	return t
}

// attention says whether somebody waits for the answer.
func attention(rec desk.Record) string {
	state := words.T("agent away")
	if rec.Attended {
		state = words.T("agent waits")
	}
	if where := words.Local.Home(rec); where != "" {
		state = words.T("%[1]s, %[2]s", state, where)
	}
	return state
}
