package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui"
)

type askFlags struct {
	surface, timeout string
	plain            bool
}

func (f *askFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.surface, "surface", "", "where to ask: auto, or names in order (ASK_SURFACE)")
	cmd.Flags().StringVar(&f.timeout, "timeout", "", "how long the user may take, 0 for no limit (ASK_TIMEOUT)")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "ask line by line, without a full screen")
}

func (a *app) ask() *cobra.Command {
	var flags askFlags
	var format string
	cmd := &cobra.Command{
		Use:   "ask [JSON or -]",
		Short: "Ask the user and print the answer",
		Long:  askHelp,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			usage := fmt.Sprintf("Usage: %s '{\"questions\":[...]}'", cmd.CommandPath())
			data, err := a.input(args)
			if err != nil {
				return err
			}
			if len(data) == 0 {
				return fmt.Errorf("Missing JSON parameter\n%s", usage) //nolint:staticcheck // the words of A3
			}
			s, err := a.settings(flags.order(), flags.timeout, "")
			if err != nil {
				return err
			}
			call, err := askuser.Decode(data, s.limits)
			var v question.Violations
			switch {
			case errors.As(err, &v):
				return err
			case err != nil:
				return fmt.Errorf("Invalid JSON format\n%s", usage) //nolint:staticcheck // the words of A3
			}
			if _, err := askuser.Format(desk.Record{}, format); err != nil {
				return err
			}
			if call.Timeout == 0 || flags.timeout != "" {
				call.Timeout = s.timeout
			}
			rec, err := a.put(cmd.Context(), call, s.surfaces)
			if err != nil {
				return err
			}
			return a.print(rec, format)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&format, "format", askuser.Formats()[0], "how to print the answer: "+strings.Join(askuser.Formats(), ", "))
	return cmd
}

// order is the surfaces to try, as the flags say.
func (f *askFlags) order() string {
	if f.plain && f.surface == "" {
		return "plain"
	}
	return f.surface
}

// input returns the JSON: the argument, or standard input where that is - or
// absent and standard input is no terminal (A1).
func (a *app) input(args []string) ([]byte, error) {
	if len(args) == 1 && args[0] != "-" {
		return bytes.TrimSpace([]byte(args[0])), nil
	}
	if len(args) == 0 && term.IsTerminal(int(a.in.Fd())) {
		return nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.in, maxInput))
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return bytes.TrimSpace(data), nil
}

// maxInput is the most that is read from standard input, in bytes.
const maxInput = 16 << 20

// put asks the set on this machine and waits for its end.
func (a *app) put(ctx context.Context, call askuser.Call, surfaces []ui.Surface) (desk.Record, error) {
	log := a.log(slog.LevelWarn)
	d, err := a.desk(log)
	if err != nil {
		return desk.Record{}, err
	}
	if len(call.Set.Shown(nil)) == 0 { // every answer was brought along (B1)
		return desk.Record{Set: call.Set, State: desk.Answered, Outcome: &desk.Outcome{Status: desk.Answered, Reply: &question.Reply{}}}, nil
	}
	rec, err := d.Ask(ctx, call.Set, "", desk.Asker{Client: a.name, Version: buildVersion(), Directory: a.directory(), Via: "shell"})
	if err != nil {
		return desk.Record{}, err
	}
	presenter := ui.NewPresenter(d, log)
	shown := presenter.Present(rec, call.Timeout, surfaces)
	select {
	case <-shown.Done():
	case <-ctx.Done():
		presenter.Close(context.Cause(ctx))
		<-shown.Done()
	}
	return a.finish(ctx, d, rec, shown.Err())
}

// finish returns the record as it ended, and ends it where nobody will: shown
// is why the surfaces stopped, nil where the record had ended.
func (a *app) finish(ctx context.Context, d *desk.Desk, rec desk.Record, shown error) (desk.Record, error) {
	ctx = context.WithoutCancel(ctx)
	if shown != nil {
		end, keep := ending(shown)
		if keep {
			return rec, shown
		}
		_, err := d.Close(ctx, rec.ID, end)
		var first *desk.ClosedError
		if err != nil && !errors.As(err, &first) {
			return rec, err
		}
	}
	rec, err := d.Get(ctx, rec.ID)
	if err != nil {
		return rec, err
	}
	if err := d.Archive(ctx, rec.ID); err != nil {
		return rec, err
	}
	if rec.State == desk.Cancelled {
		return rec, shown // interrupted
	}
	return rec, nil
}

// ending is the outcome of a record that its surfaces left open. A program that
// was killed, and not by its human, leaves it open for whoever asks again.
func ending(shown error) (end desk.Outcome, keep bool) {
	var sig *signalError
	switch {
	case errors.As(shown, &sig) && sig.Signal != os.Interrupt:
		return end, true
	case errors.As(shown, &sig), errors.Is(shown, ui.ErrInterrupted):
		return desk.Outcome{Status: desk.Cancelled, Reason: "interrupted at the command line"}, false
	case errors.Is(shown, ui.ErrUnavailable):
		return desk.Outcome{Status: desk.Unavailable, Reason: shown.Error()}, false
	}
	return desk.Outcome{Status: desk.Failed, Reason: shown.Error()}, false
}

// print writes the result of a record that had a human's chance to be
// answered, and returns its exit status.
func (a *app) print(rec desk.Record, format string) error {
	err := outcome(rec)
	if rec.State == desk.Unavailable || rec.State == desk.Failed {
		return err
	}
	out, wrong := askuser.Format(rec, format)
	if wrong != nil {
		return wrong
	}
	fmt.Fprintln(a.out, out)
	return err
}

// outcome is the exit status of a record's end.
func outcome(rec desk.Record) error {
	switch rec.State {
	case desk.Answered:
		return nil
	case desk.Dismissed, desk.Cancelled:
		return &exitError{exitClosed, nil}
	case desk.Timeout:
		return &exitError{exitTimeout, fmt.Errorf("no answer within %s", rec.Outcome.Reason)}
	case desk.Unavailable:
		return &exitError{exitNoSurface, fmt.Errorf("no way to ask here (%s); run it in a terminal, or name a surface with --surface", rec.Outcome.Reason)}
	}
	return &exitError{exitBad, fmt.Errorf("asking failed: %s", rec.Outcome.Reason)}
}
