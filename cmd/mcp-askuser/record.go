package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
)

// openDesk opens the desk for a command that asks nothing itself.
func (a *app) openDesk() (*desk.Desk, error) {
	s, err := a.settings()
	if err != nil {
		return nil, err
	}
	return a.desk(s, a.log(slog.LevelWarn))
}

// onRecord runs a command about one record, which its argument names.
func (a *app) onRecord(do func(ctx context.Context, d *desk.Desk, rec desk.Record) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		d, err := a.openDesk()
		if err != nil {
			return err
		}
		rec, err := find(cmd.Context(), d, args[0])
		if err != nil {
			return err
		}
		return do(cmd.Context(), d, rec)
	}
}

// find returns the record whose id begins so.
func find(ctx context.Context, d *desk.Desk, id string) (desk.Record, error) {
	rec, err := d.Find(ctx, id)
	if err != nil {
		return rec, fmt.Errorf("%s: %w", id, err)
	}
	return rec, nil
}
