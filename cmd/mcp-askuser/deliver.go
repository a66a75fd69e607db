package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mcp-askuser/desk"
	"mcp-askuser/install"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/words"
)

// render returns what a command prints of a record of the desk that has ended.
type render func(d *desk.Desk, rec desk.Record) (string, error)

// deliver asks, prints what show makes of the outcome, and only then marks it as
// delivered: an answer that could not be printed stays for the next call that asks the
// same. The error has the exit status.
func (a *app) deliver(cmd *cobra.Command, call wire.Call, show render) error {
	ctx := cmd.Context()
	if plain, _ := cmd.Flags().GetBool("plain"); plain && !cmd.Flags().Changed("surface") {
		a.settings().Surfaces = []string{"plain"}
	}
	if !cmd.Flags().Changed("max-rounds") && desk.UsersTerminal() {
		a.settings().MaxRounds = 0 // no agent asks here
	}
	if a.proves && !call.Set.Provable() {
		return errors.New("--prove is for a confirmation: one yes-or-no question, as mcp-askuser confirm asks it")
	}
	d, err := a.desk()
	if err != nil {
		return err
	}
	if len(call.Set.Asked(nil)) == 0 { // every answer was brought along
		rec, err := d.Note(ctx, a.request(call), desk.Outcome{Status: desk.Answered, Reply: &question.Reply{}})
		if err != nil {
			a.log.WarnContext(ctx, "cannot record a question whose answers were all given", "error", err)
		}
		return a.printResult(d, rec, show)
	}
	presenter := a.presenter(d)
	defer presenter.Close(nil)
	page := a.webSurface(d, presenter)
	defer page.Close()
	surfaces, _ := a.surfaces(d, page, desk.Cancelled)
	if a.noWait { // this process, and with it what it shows, ends
		surfaces, presenter.Notify = nil, nil
	}
	w, err := presenter.Ask(ctx, present.Question{
		Request:     a.request(call),
		Surfaces:    func(*present.Presentation) []ui.Surface { return surfaces },
		Interrupted: desk.Cancelled,
		KeepOpen:    a.noWait,
	})
	if full, ok := errors.AsType[*desk.RoundLimitError](err); ok {
		return &exitError{exitRefused, fmt.Errorf("%w (mcp-askuser lift %s)", err, install.ShellLine(full.Session))}
	}
	if err != nil {
		return err
	}
	defer w.Leave()
	select {
	case <-w.Unshown(): // the terminal is free again
	case <-ctx.Done():
		return a.interrupted(ctx, d, presenter, w)
	}
	if a.noWait && !w.HasEnded() {
		a.notifierHere()(ctx, w.Record())
		fmt.Fprintf(a.out, `{"status":"pending","id":%q}`+"\n", w.Record().ID)
		return &exitError{exitPending, nil}
	}
	<-w.Ended()
	return a.printEnd(d, w, show)
}

// printEnd prints what show makes of a record that has ended, and marks it as delivered
// unless it could not be printed. The error has the exit status.
func (a *app) printEnd(d *desk.Desk, w *present.Waiter, show render) error {
	rec, err := w.Result()
	if err != nil {
		return err
	}
	if err = w.UnshownReason(); !errors.Is(err, ui.ErrInterrupted) { // the user needs no result
		err = a.printResult(d, rec, show)
	}
	if a.out.err == nil {
		w.Delivered()
	}
	return err
}

// interrupted ends a command after a signal. Ctrl+C withdraws the question; any other
// signal leaves it open for the next call that asks the same.
func (a *app) interrupted(ctx context.Context, d *desk.Desk, presenter *present.Presenter, w *present.Waiter) error {
	cause := context.Cause(ctx)
	presenter.Hide(cause)
	state := desk.Pending
	if errors.Is(cause, ui.ErrInterrupted) {
		ctx, id := context.WithoutCancel(ctx), w.Record().ID
		_, err := d.Close(ctx, id, desk.Outcome{Status: desk.Cancelled, Reason: "interrupted at the command line"})
		if err != nil {
			return cause // answered at the last moment: kept for the next call that asks the same
		}
		err = d.Delivered(ctx, id)
		if err != nil {
			a.log.WarnContext(ctx, "a withdrawn question is not marked as delivered", "id", id, "error", err)
		}
		state = desk.Cancelled
	}
	if name := w.Surface(); name != "tty" && name != "plain" { // which say so themselves
		a.tell(words.English.Interrupted(state))
	}
	return cause
}

// printResult prints what show makes of the outcome. The error has the exit status;
// it is errUnprinted where printing failed.
func (a *app) printResult(d *desk.Desk, rec desk.Record, show render) error {
	text, err := show(d, rec)
	if err != nil {
		return err
	}
	if text != "" {
		fmt.Fprintln(a.out, text)
	}
	if rec.Outcome.FromProgram() {
		a.tellf("A program has replied, not the user: %s.", words.English.Outcome(rec.Outcome))
	}
	if a.out.err != nil {
		return fmt.Errorf("the result could not be printed: %w; %w", a.out.err, errUnprinted)
	}
	return endError(rec)
}

var errUnprinted = errors.New("it is kept: ask the same again to get it")

func (a *app) presenter(d *desk.Desk) *present.Presenter {
	return present.New(present.Options{
		Desk:         d,
		Log:          a.log,
		Notify:       a.notifier(d),
		TakeDefaults: a.settings().OnTimeout == desk.OnTimeoutDefault,
	})
}
