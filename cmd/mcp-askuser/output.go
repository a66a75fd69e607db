package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/words"
)

// output is standard output. It remembers its first error and writes nothing
// after it; run tells of it, whatever the command does.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (n int, err error) {
	if o.err == nil {
		n, o.err = o.Writer.Write(p)
	}
	return n, o.err
}

// backlog is what is to be written when the terminal is free.
type backlog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *backlog) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// catchUp writes it.
func (b *backlog) catchUp(w io.Writer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, _ = b.text.WriteTo(w) // as a log does: nobody else could be told
}

// flush returns the first error of all that was written. A file may tell of its
// own only when it is synced.
func (o *output) flush() error {
	f, ok := o.Writer.(*os.File)
	if o.err != nil || !ok {
		return o.err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		o.err = f.Sync()
	}
	return o.err
}

// width is the width of the terminal that it goes to, in cells; 0 where it goes
// elsewhere.
func (o *output) width() int {
	f, ok := o.Writer.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width
	}
	return 80 // a terminal that does not know
}

// deliver asks, prints what render makes of the outcome, if anything, and only
// then says that it was delivered: an answer that could not be printed stays for
// whoever asks the same again. The error has the exit status.
func (a *app) deliver(cmd *cobra.Command, call wire.Call, render func(desk.Record) (string, error)) error {
	ctx := cmd.Context()
	if plain, _ := cmd.Flags().GetBool("plain"); plain && !cmd.Flags().Changed("surface") {
		a.settings().Surfaces = []string{"plain"}
	}
	d, err := a.desk()
	if err != nil {
		return err
	}
	if len(call.Set.Asked(nil)) == 0 { // every answer was brought along
		rec, err := d.Note(ctx, a.request(call), desk.Outcome{Status: desk.Answered, Reply: &question.Reply{}})
		if err != nil {
			a.log.WarnContext(ctx, "a question that was not asked leaves no trace", "error", err)
		}
		return a.printResult(rec, render)
	}
	presenter := a.presenter(d)
	defer presenter.Close(nil)
	page := a.webSurface(d, presenter)
	defer page.Close()
	surfaces, _ := a.surfaces(d, page, desk.Cancelled)
	w, err := presenter.Ask(ctx, present.Question{
		Request:     a.request(call),
		Surfaces:    func(*present.Presentation) []ui.Surface { return surfaces },
		Interrupted: desk.Cancelled,
	})
	if full, ok := errors.AsType[*desk.RoundLimitError](err); ok {
		return fmt.Errorf(words.T("%w (mcp-askuser lift %s)"), err, full.Session)
	}
	if err != nil {
		return err
	}
	defer w.Leave()
	select {
	case <-w.Nobody(): // the terminal is free again
	case <-ctx.Done():
		return a.interrupted(ctx, d, presenter, w)
	}
	<-w.Ended()
	rec, err := w.Result()
	if err != nil {
		return err
	}
	if err = w.Why(); !errors.Is(err, ui.ErrInterrupted) { // the human needs no result
		err = a.printResult(rec, render)
	}
	if errors.As(err, new(*unprintedError)) {
		return err
	}
	w.Delivered()
	presenter.Flush()
	return err
}

// interrupted ends a command that a signal has ended. Ctrl+C withdraws the
// question; a program that is killed otherwise leaves it open for whoever asks
// again.
func (a *app) interrupted(ctx context.Context, d *desk.Desk, presenter *present.Presenter, w *present.Waiter) error {
	cause := context.Cause(ctx)
	presenter.Close(cause)
	became := desk.Pending
	if errors.Is(cause, ui.ErrInterrupted) {
		ctx, id := context.WithoutCancel(ctx), w.Record().ID
		if _, err := d.Close(ctx, id, desk.Outcome{Status: desk.Cancelled, Reason: "interrupted at the command line"}); err != nil {
			return cause // answered at the last moment: that is kept for whoever asks the same again
		}
		if err := d.Archive(ctx, id); err != nil {
			a.log.WarnContext(ctx, "the question is not put away", "id", id, "error", err)
		}
		became = desk.Cancelled
	}
	if where, _ := w.Surface(); where != "tty" && where != "plain" { // which say so themselves
		fmt.Fprintln(a.err, words.Local.Interrupted(became))
	}
	return cause
}

// printResult prints what render makes of the outcome, if anything. The error
// has the exit status; it is an *unprintedError where nothing got out.
func (a *app) printResult(rec desk.Record, render func(desk.Record) (string, error)) error {
	text, err := render(rec)
	if err != nil {
		return err
	}
	if text != "" {
		fmt.Fprintln(a.out, text)
	}
	if rec.Outcome.FromProgram() {
		fmt.Fprintln(a.err, words.T("A program has replied, not the user: %s.", words.Local.Outcome(rec.Outcome)))
	}
	if err := a.out.flush(); err != nil {
		return &unprintedError{rec, err}
	}
	return ending(rec)
}

// unprintedError says what became of an outcome that could not be printed.
type unprintedError struct {
	rec desk.Record
	err error
}

func (e *unprintedError) Unwrap() error { return e.err }

func (e *unprintedError) Error() string {
	if e.rec.Outcome == nil || e.rec.Outcome.Reply == nil {
		return fmt.Sprintf("the result could not be printed: %v", e.err)
	}
	return fmt.Sprintf("the user has replied, but that could not be printed: %v; the reply is kept: ask the same again to get it", e.err)
}
