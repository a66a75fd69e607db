// Package notify notifies the user that a question waits: by the desktop and by a
// command of the user's own, from the process that asks, so that no surface need be
// open; and by the bell of a terminal that shows the question.
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
	Log    *slog.Logger        // silent if nil
}

// Notify notifies the user of the record on all channels at once, and again at each
// reminder until ctx ends, which it should when the record does. Without reminders
// it returns after the first notification.
func (o Options) Notify(ctx context.Context, rec desk.Record) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	channels := map[string]func(context.Context, *notice) error{}
	if o.Getenv != nil {
		if send := desktop(o.Getenv); send != nil {
			channels["desktop"] = send
		}
	}
	if len(o.Command) > 0 {
		channels["command"] = command{argv: o.Command, limit: commandLimit, log: o.Log}.send
	}
	for times := 0; len(channels) > 0 && ctx.Err() == nil; times++ {
		o.send(ctx, channels, newNotice(rec, times))
		if o.Reminder <= 0 {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(o.Reminder):
		}
	}
}

// send returns when every channel has ended, each within its own limit.
func (o Options) send(ctx context.Context, channels map[string]func(context.Context, *notice) error, e *notice) {
	var channelsDone sync.WaitGroup
	for name, send := range channels {
		channelsDone.Go(func() {
			if err := send(ctx, e); err != nil {
				o.Log.WarnContext(ctx, "the user was not notified", "id", e.ID, "channel", name, "error", err)
			}
		})
	}
	channelsDone.Wait()
}
