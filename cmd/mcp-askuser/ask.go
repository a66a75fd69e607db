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

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
)

// askFlags gives a command the flags of those that ask.
func (a *app) askFlags(cmd *cobra.Command) {
	a.addFlags(cmd, "dir", "session")
	a.addFlags(cmd, askKeys[:]...)
	cmd.Flags().Bool("plain", false, "ask line by line, as with --surface plain")
}

// askSettings returns the settings of a command that asks.
func (a *app) askSettings(cmd *cobra.Command) (settings.Values, error) {
	s, err := a.settings()
	if plain, _ := cmd.Flags().GetBool("plain"); plain && !cmd.Flags().Changed("surface") {
		s.Surfaces = []string{"plain"}
	}
	return s, err
}

func (a *app) ask() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "ask [JSON or -]",
		Short: "Ask the user and print the answer",
		Long:  askHelp,
		Args:  arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			usage := fmt.Sprintf("Usage: %s '{\"questions\":[...]}'", cmd.CommandPath())
			data, err := a.input(args)
			if err != nil {
				return err
			}
			if len(data) == 0 {
				return fmt.Errorf("Missing JSON parameter\n%s", usage) //nolint:staticcheck // the words of A3
			}
			s, err := a.askSettings(cmd)
			if err != nil {
				return err
			}
			call, err := wire.DecodeAsk(data, s.Limits)
			var v question.Violations
			switch {
			case errors.As(err, &v):
				return err
			case err != nil:
				return fmt.Errorf("Invalid JSON format\n%s", usage) //nolint:staticcheck // the words of A3
			}
			if _, err := wire.Format(desk.Record{}, format); err != nil {
				return err
			}
			if call.Timeout == 0 || cmd.Flags().Changed("timeout") {
				call.Timeout = s.Timeout
			}
			return a.deliver(cmd.Context(), call, s, func(rec desk.Record) (string, error) {
				if rec.State == desk.Unavailable || rec.State == desk.Failed {
					return "", nil // a result for models, not for programs
				}
				return wire.Format(rec, format)
			})
		},
	}
	a.askFlags(cmd)
	a.addFlags(cmd, limitKeys[:]...)
	cmd.Flags().StringVar(&format, "format", wire.Formats()[0], "how to print the answer: "+strings.Join(wire.Formats(), ", "))
	return cmd
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
func (a *app) put(ctx context.Context, call wire.Call, s settings.Values) (desk.Record, error) {
	if len(call.Set.Shown(nil)) == 0 { // every answer was brought along (B1)
		return desk.Record{Set: call.Set, State: desk.Answered, Outcome: &desk.Outcome{Status: desk.Answered, Reply: &question.Reply{}}}, nil
	}
	log := a.log(slog.LevelWarn)
	d, err := a.desk(s, log)
	if err != nil {
		return desk.Record{}, err
	}
	rec, attendance, err := d.Submit(ctx, desk.Request{
		Set:       call.Set,
		Session:   a.session(s),
		Asker:     desk.Asker{Client: a.name, Version: buildVersion(), Directory: a.directory(), Via: "shell"},
		Timeout:   call.Timeout,
		OnTimeout: call.OnTimeout,
	})
	if err != nil {
		return desk.Record{}, err
	}
	defer attendance.Release()
	if rec.Outcome != nil { // the answer to an earlier call that broke off
		return rec, nil
	}
	presenter := a.presenter(s, d, log)
	page := a.webSurface(s, d, presenter, log)
	defer page.Close()
	shown := presenter.Present(rec, a.surfaces(s, d, page))
	select {
	case <-shown.Done():
	case <-ctx.Done():
	}
	presenter.Close(context.Cause(ctx))
	<-shown.Done()
	return a.finish(ctx, d, rec, shown.Err())
}

// presenter shows records as the settings say.
func (a *app) presenter(s settings.Values, d *desk.Desk, log *slog.Logger) *ui.Presenter {
	return ui.NewPresenter(ui.PresenterOptions{
		Desk:         d,
		Log:          log,
		Notify:       a.notifier(s, log),
		TakeDefaults: s.OnTimeout == desk.OnTimeoutDefault,
	})
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
