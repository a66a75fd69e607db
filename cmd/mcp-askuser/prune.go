package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/ui/words"
)

func (a *app) prune() *cobra.Command {
	var older string
	var dry bool
	cmd := &cobra.Command{
		Use:   "prune --older-than TIME",
		Short: "Remove past questions that were asked long ago",
		Long: `Remove past questions that were asked longer ago than TIME, with their answers
and all that refers to them, and print how many of which months, and how large
they were. Questions that are open, or whose answers have not been collected,
stay. The setting keep_history does this every day, on this machine.

Removed questions cannot be brought back; history --format jsonl exports them
before. On a shared desk they go for all who share it. An agent's credential
removes nothing there, and the server's own copies of answers stay.`,
		Example: `  mcp-askuser history prune --older-than 90d --dry-run
  mcp-askuser history prune --older-than 12w`,
	}
	cmd.Flags().StringVar(&older, "older-than", "", "the least age, as a `time` such as 90d, 12w or 36h")
	complete(cmd, "older-than", "30d", "90d", "52w")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only print what would be removed")
	return a.atDesk(cmd, func(cmd *cobra.Command, d *desk.Desk, _ []string) error {
		age, ok := settings.Age(older)
		switch {
		case older == "":
			return errors.New(words.T("--older-than is missing; it takes a time of an hour or more such as 90d, 12w or 36h"))
		case !ok:
			return errors.New(words.T("--older-than is %q; it takes a time of an hour or more such as 90d, 12w or 36h", older))
		}
		beyond := a.beyondReach(cmd.Context())
		months, err := d.Prune(cmd.Context(), time.Now().Add(-age), dry)
		if len(months) > 0 {
			if err := a.printPruned(months, dry); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, desk.ErrDenied):
			return fmt.Errorf(words.T("the past of the shared desk stays: %w; prune it with a user's credential (desk_creds)"), desk.ErrDenied)
		case err != nil:
			return err
		case beyond != nil:
			return fmt.Errorf(words.T("the past of the shared desk stays: %w"), beyond)
		case len(months) == 0:
			fmt.Fprintln(a.err, words.T("No past question is that old."))
		}
		return nil
	})
}

// beyondReach is why the shared desk does not take part, where one is named.
func (a *app) beyondReach(ctx context.Context) error {
	if a.settings().Desk == "" {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, deskTime)
	defer stop()
	store, err := a.shared()
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Ping(ctx)
}

// printPruned prints what was removed, or would be.
func (a *app) printPruned(months []desk.Month, dry bool) error {
	var t table
	t.add(words.T("MONTH"), words.T("QUESTIONS"), words.T("SIZE"))
	questions, size := 0, int64(0)
	for _, m := range months {
		t.add(m.Name, strconv.Itoa(m.Questions), bytesOf(m.Bytes))
		questions, size = questions+m.Questions, size+m.Bytes
	}
	if err := a.printTable(t); err != nil {
		return err
	}
	if dry {
		fmt.Fprintln(a.err, words.N(questions, "%d question (%s) would be removed; without --dry-run it is.", "%d questions (%s) would be removed; without --dry-run they are.", bytesOf(size)))
		return nil
	}
	fmt.Fprintln(a.err, words.N(questions, "%d question removed (%s).", "%d questions removed (%s).", bytesOf(size)))
	return nil
}

// bytesOf is a number of bytes in words.
func bytesOf(n int64) string {
	const kilo, mega = 1000, 1000 * 1000
	if n >= 10*mega {
		return strconv.FormatInt((n+mega/2)/mega, 10) + " MB"
	}
	return strconv.FormatInt((n+kilo-1)/kilo, 10) + " kB"
}
