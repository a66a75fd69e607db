package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/desk/store"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

func (a *app) pending() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "pending",
		Short:   "List the questions that wait for an answer, oldest first",
		Example: "  mcp-askuser pending\n  mcp-askuser pending --count\n  mcp-askuser pending --json | jq -r '.[].id'",
	}
	asJSON := cmd.Flags().Bool("json", false, "print a JSON array")
	count := cmd.Flags().Bool("count", false, "print how many there are")
	cmd.MarkFlagsMutuallyExclusive("json", "count")
	return a.withDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, _ []string) error {
		records, err := d.Pending(cmd.Context())
		if err != nil {
			return err
		}
		if *count {
			fmt.Fprintln(a.out, len(records))
			return leftOut(d)
		}
		err = a.printList(*asJSON, append([]desk.Record{}, records...), pendingTable(records, time.Now()),
			"Nothing waits for an answer.")
		return cmp.Or(err, leftOut(d))
	})
}

// leftOut is the error of a list without what a shared desk has that does not answer; nil of a whole one.
func leftOut(d *desk.Desk) error {
	away := d.Away()
	if away == nil {
		return nil
	}
	return fmt.Errorf("what the shared desk has is left out: %w", away)
}

func pendingTable(records []desk.Record, now time.Time) (t rows) {
	t.add("ID", "AGE", "ASKED BY", "STATE", "QUESTION")
	ids := shortened(records)
	for i, rec := range view.All(records, words.Local) {
		t.add(ids[i], rec.Age(now), rec.AskedBy(), rec.Attention(), rec.Subject())
	}
	return t
}

func (a *app) history() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Print past questions and what became of them",
		Example: `  mcp-askuser history --search database
  mcp-askuser history --since 3d --format md > DECISIONS.md
  mcp-askuser history prune --older-than 90d`,
	}
	cmd.AddCommand(a.prune())
	search := cmd.Flags().String("search", "", "only what has this `text` in its questions, answers, reasons or agent")
	since := sinceFlag(cmd)
	format := formatFlag(cmd, "text", "json", "jsonl", "md")
	limit := cmd.Flags().Uint("limit", 50, "at most this `number`, the newest; 0 for all")
	asJSON := cmd.Flags().Bool("json", false, "the same as --format json")
	return a.withDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, _ []string) error {
		if *asJSON && !cmd.Flags().Changed("format") {
			*format = "json"
		}
		var err error
		q := desk.Query{Since: *since, Search: *search, Limit: int(*limit), Ascend: *format != "text"}
		if q.Ascend {
			if !cmd.Flags().Changed("limit") {
				q.Limit = 0
			}
			err = a.stream(d.History(cmd.Context(), q), *format)
		} else {
			err = a.listHistory(cmd.Context(), d, q)
		}
		damaged := d.Damaged()
		if err == nil && damaged > 0 {
			err = errors.New(words.English.N(damaged,
				"%d question is damaged, and left out; see above", "%d questions are damaged, and left out; see above"))
		}
		return cmp.Or(err, leftOut(d))
	})
}

func (a *app) listHistory(ctx context.Context, d *desk.Desk, q desk.Query) error {
	limit := q.Limit
	if limit > 0 {
		q.Limit++ // to know whether there are more
	}
	records, err := store.Collect(d.History(ctx, q))
	if err != nil {
		return err
	}
	if len(records) == 0 {
		a.tell("Nothing was asked.")
		return nil
	}
	more := limit > 0 && len(records) > limit
	if more {
		records = records[:limit]
	}
	a.printTable(historyTable(records, a.out.width()))
	if more {
		a.tell("Older ones are left out; --limit 0 prints all.")
	}
	return nil
}

// stream prints records one by one: there may be more than fit into memory.
func (a *app) stream(records iter.Seq2[desk.Record, error], format string) error {
	out := bufio.NewWriterSize(a.out, 1<<16)
	write := map[string]func(io.Writer, iter.Seq2[desk.Record, error]) error{"json": writeArray, "jsonl": writeTranscript,
		"md": writeDecisions}[format]
	if err := write(out, records); err != nil {
		return err
	}
	return out.Flush()
}

// roomyWidth is the width of a terminal, in cells, below which the history leaves out who asked,
// and where the answer was given: the question and the answer need the room.
const roomyWidth = 100

// historyTable is for a terminal of this width, 0 for no terminal.
func historyTable(records []desk.Record, width int) (t rows) {
	add := func(id, asked, by, subject, decision, where string) {
		if width > 0 && width < roomyWidth {
			t.add(id, asked, subject, decision)
			return
		}
		t.add(id, asked, by, subject, decision, where)
	}
	add("ID", "ASKED", "ASKED BY", "QUESTION", "ANSWER", "WHERE")
	ids := shortened(records)
	for i, rec := range view.All(records, words.Local) {
		asked := rec.CreatedAt.Local().Format("2006-01-02 15:04")
		add(ids[i], asked, rec.AskedBy(), rec.Subject(), rec.Decision(), rec.EndedBy())
	}
	return t
}

func (a *app) prune() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prune --older-than TIME",
		Short: "Remove past questions that were asked long ago",
		Example: `  mcp-askuser history prune --older-than 90d --dry-run
  mcp-askuser history prune --older-than 12w`,
	}
	older := olderFlag(cmd, "the least age, as a `time` such as 90d, 12w or 36h")
	complete(cmd, "older-than", "30d", "90d", "52w")
	dry := cmd.Flags().Bool("dry-run", false, "only print what would be removed")
	return a.withDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, _ []string) error {
		if *older == 0 {
			return errors.New("--older-than is missing; it takes " + oldTakes)
		}
		questions, err := d.Prune(cmd.Context(), time.Now().Add(-*older), *dry)
		if err == nil || questions > 0 {
			does := "removed"
			if *dry {
				does = "would be removed"
			}
			a.tellf("%s %s.", words.English.N(questions, "%d question", "%d questions"), does)
		}
		return err
	})
}
