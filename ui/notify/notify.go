// Package notify notifies the user that a question waits, by the desktop and by a
// command of the user's own, from the process that asks: no surface need be open.
//
// It imports desk, question, ui, ui/words and ui/api. It must not know any surface, and
// takes no answers. No failure here fails a question; failures are logged.
package notify

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"mcp-askuser/desk"
)

// Options select how the user is notified. The zero value does nothing.
type Options struct {
	// Command is the user's own: a program and its arguments, run without a shell,
	// with the request of ui/api as JSON on standard input.
	Command []string
	// Reminder is the interval between notifications of an open question. 0 means
	// one notification.
	Reminder time.Duration

	Getenv func(string) string // names the desktop, if there is one; nil for none
	// Go shows the user the terminal of a process: a click on the desktop's notification
	// calls it with the asker's. A notification takes no click if nil.
	Go  func(pid int) error
	Log *slog.Logger // silent if nil
}

// channel is one way to notify. It returns when the user was notified, or with the context
// where the notification takes a click.
type channel func(context.Context, *notice) error

// Notify notifies the user of the record on all channels at once, and again at each
// reminder until ctx ends, which it should when the record does. Without reminders, and a
// notification that takes a click, it returns after the first notification.
func (o Options) Notify(ctx context.Context, rec desk.Record) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	channels := map[string]channel{}
	if o.Getenv != nil {
		channels["desktop"] = desktop(o.Getenv, o.Go)
	}
	if len(o.Command) > 0 {
		channels["command"] = command{argv: o.Command, limit: commandLimit, log: o.Log}.send
	}
	var channelsDone sync.WaitGroup
	for name, send := range channels {
		if send != nil && ctx.Err() == nil {
			channelsDone.Go(func() { o.remind(ctx, rec, name, send) })
		}
	}
	channelsDone.Wait()
}

// remind notifies the user on one channel until ctx ends.
func (o Options) remind(ctx context.Context, rec desk.Record, name string, send channel) {
	notify := func(ctx context.Context, times int) {
		err := send(ctx, newNotice(rec, times))
		if err != nil {
			o.Log.WarnContext(ctx, "a notification failed", "id", rec.ID, "channel", name, "error", err)
		}
	}
	if o.Reminder <= 0 {
		notify(ctx, 0)
		return
	}
	for times := 0; ctx.Err() == nil; times++ {
		untilNext, end := context.WithTimeout(ctx, o.Reminder)
		notify(untilNext, times)
		<-untilNext.Done()
		end()
	}
}
