package main

import (
	"bufio"
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

func (a *app) history() *cobra.Command {
	var since, search, format string
	var limit uint
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Print past questions and what became of them",
		Long: `Print past questions and what became of them.

The newest 50, unless --limit says otherwise. Formats: text is a list, the last
asked first. The others tell it in order: json is an array of records; jsonl a
transcript, one message on a line; md a log of decisions by project, in
Markdown, to be committed or to go into a pull request.`,
		Example: `  mcp-askuser history --search database
  mcp-askuser history --since 3d --format md > DECISIONS.md
  mcp-askuser history prune --older-than 90d`,
	}
	cmd.AddCommand(a.prune())
	cmd.Flags().StringVar(&search, "search", "", "only what has this `text` in its questions, answers, reasons or asker")
	cmd.Flags().StringVar(&since, "since", "", sinceHelp)
	takesFormat(cmd, &format, []string{"text", "json", "jsonl", "md"})
	cmd.Flags().UintVar(&limit, "limit", 50, "at most this `number`, the newest; 0 for all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	return a.atDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, _ []string) error {
		if asJSON && !cmd.Flags().Changed("format") {
			format = "json"
		}
		from, err := moment(since, time.Now())
		if err != nil {
			return err
		}
		q := desk.Query{Since: from, Search: search, Limit: int(limit), Ascend: format != "text"}
		if q.Ascend {
			return a.stream(d.History(cmd.Context(), q), format)
		}
		records, err := collect(cmd.Context(), d, q)
		if err != nil {
			return err
		}
		if len(records) == 0 {
			fmt.Fprintln(a.err, words.T("Nothing was asked."))
			return nil
		}
		return a.printTable(historyTable(records))
	})
}

// collect returns the records of the past, the last asked first.
func collect(ctx context.Context, d *desk.Desk, q desk.Query) ([]desk.Record, error) {
	records := []desk.Record{}
	for rec, err := range d.History(ctx, q) {
		if err != nil {
			return nil, err
		}
		records = append(records, rec)
	}
	return records, nil
}

// stream prints records, oldest first, as they come: there may be more of them
// than fit into memory.
func (a *app) stream(records iter.Seq2[desk.Record, error], format string) error {
	out := bufio.NewWriterSize(a.out, 1<<16)
	write := writeDecisions
	switch format {
	case "json":
		write = writeArray
	case "jsonl":
		write = writeTranscript
	}
	if err := write(out, records); err != nil {
		return err
	}
	return out.Flush()
}

func historyTable(records []desk.Record) table {
	t := table{whole: 2}
	t.add("ID", words.T("ASKED"), words.T("ASKED BY"), words.T("QUESTION"), words.T("ANSWER"), words.T("WHERE"))
	for i, id := range shortened(records, shortPast) {
		rec := view.Local(records[i])
		t.add(id, rec.CreatedAt.Local().Format("2006-01-02 15:04"), rec.AskedBy(), rec.Subject(), rec.Decision(), rec.EndedBy())
	}
	return t
}
