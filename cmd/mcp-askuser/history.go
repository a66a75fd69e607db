package main

import (
	"bufio"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/ui/words"
)

// historyFormats are how the past can be printed, the first one by default.
var historyFormats = [...]string{"text", "json", "jsonl", "md"}

func (a *app) history() *cobra.Command {
	var since, search, format string
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Print past questions and what became of them",
		Long: `Print past questions and what became of them.

The newest 50, unless --limit says otherwise. Formats: text is a list, the last asked first. The others tell it in order:
json is an array of records; jsonl a transcript, one message on a line; md a
log of decisions in Markdown, to go into a pull request.`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON && !cmd.Flags().Changed("format") {
				format = "json"
			}
			if !slices.Contains(historyFormats[:], format) {
				return fmt.Errorf("--format is %q; it takes %s", format, strings.Join(historyFormats[:], ", "))
			}
			if limit < 0 {
				return fmt.Errorf("--limit is %d; it takes a whole number, 0 for all", limit)
			}
			from, err := moment(since, time.Now())
			if err != nil {
				return err
			}
			d, err := a.openDesk()
			if err != nil {
				return err
			}
			q := desk.Query{Since: from, Search: search, Limit: limit, Ascend: format != "text"}
			if q.Ascend {
				return a.stream(d.History(cmd.Context(), q), format)
			}
			records, err := collect(cmd.Context(), d, q)
			if err != nil {
				return err
			}
			if len(records) == 0 {
				fmt.Fprintln(a.err, "Nothing was asked.")
				return nil
			}
			return a.printTable(historyTable(records))
		},
	}
	a.addFlags(cmd, "dir")
	cmd.Flags().StringVar(&search, "search", "", "only what has this in its questions, answers, reasons or asker")
	cmd.Flags().StringVar(&since, "since", "", sinceHelp)
	cmd.Flags().StringVar(&format, "format", historyFormats[0], "how to print it: "+strings.Join(historyFormats[:], ", "))
	cmd.Flags().IntVar(&limit, "limit", 50, "only the last so many, 0 for all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	return cmd
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
	var t table
	t.add("ID", "ASKED", "ASKED BY", "QUESTION", "ANSWER", "WHERE")
	for i, id := range shortened(records, shortPast) {
		rec := records[i]
		t.add(id, rec.CreatedAt.Local().Format("2006-01-02 15:04"), words.Asker(rec.Asker), words.Subject(rec), words.Decision(rec), strings.TrimSpace(words.By(rec.Outcome)))
	}
	return t
}
