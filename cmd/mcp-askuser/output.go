package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"golang.org/x/term"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/desk"
	"mcp-askuser/tools/askuser/wire"
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
// then collects it: an answer that could not be printed stays for whoever asks
// the same again (DESIGN, promise 2). The error has the exit status.
func (a *app) deliver(ctx context.Context, call wire.Call, s settings.Values, render func(desk.Record) (string, error)) error {
	rec, err := a.put(ctx, call, s)
	if full, ok := errors.AsType[*desk.RoundLimitError](err); ok {
		return fmt.Errorf("%w (mcp-askuser lift %s)", err, full.Session)
	}
	if err == nil {
		text, wrong := render(rec)
		if wrong != nil {
			return wrong
		}
		if text != "" {
			fmt.Fprintln(a.out, text)
		}
		if wrong := a.out.flush(); wrong != nil {
			return unprinted(rec, wrong)
		}
		err = outcome(rec)
	}
	if rec.Outcome != nil && rec.ID != "" { // some need not be asked, and some outlive us
		a.collect(ctx, s, rec.ID)
	}
	return err
}

// unprinted says what became of an outcome that could not be printed.
func unprinted(rec desk.Record, err error) error {
	if rec.State != desk.Answered && rec.State != desk.Dismissed {
		return fmt.Errorf("the result could not be printed: %w", err)
	}
	return fmt.Errorf("the user has replied, but that could not be printed: %w; the reply is kept: ask the same again to get it", err)
}

// collect marks an outcome as delivered. If that fails it may be delivered
// again, which is no reason to say that there is none.
func (a *app) collect(ctx context.Context, s settings.Values, id string) {
	log := a.log(slog.LevelWarn)
	d, err := a.desk(s, log)
	if err == nil {
		err = d.Collect(context.WithoutCancel(ctx), id)
	}
	if err != nil {
		log.WarnContext(ctx, "the outcome is not put away, and may be delivered again", "id", id, "error", err)
	}
}
