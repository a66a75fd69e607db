// Package notify tells the human that a question waits: a notification on the
// desktop and a command of the user's own, which the process that asks sees to, so
// that it works with no surface open; and a ring on a terminal of ours.
//
// It imports desk, question, ui/words and ui/api. It must not know any surface,
// and shows no question to be answered: whoever hears the bell goes and looks.
// Nothing here fails a question; what goes wrong is logged.
package notify

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"mcp-askuser/desk"
)

// Options say which ways are used. The zero value tells nobody.
type Options struct {
	// Desktop allows a notification on the desktop, where the environment shows
	// one.
	Desktop bool
	// Command is the user's own: a program and its arguments, run as they stand,
	// with the request of ui/api as JSON on standard input.
	Command []string
	// Reminder is how often an open question is told again. 0 means once only.
	Reminder time.Duration

	Getenv func(string) string // needed where Desktop is set
	Log    *slog.Logger        // silent if nil
}

// way is one way to tell the human.
type way struct {
	name string
	tell func(ctx context.Context, e *told) error
}

// Notify tells the human about the record in every way at once, and again at
// each reminder until ctx ends, which it should when the record does. It
// returns when nobody is to be told any more: at once after the first time
// without reminders. A caller that has something else to do calls it in a
// goroutine.
func (o Options) Notify(ctx context.Context, rec desk.Record) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	var ways []way
	if o.Desktop {
		if tell := desktop(o.Getenv); tell != nil {
			ways = append(ways, way{"desktop", tell})
		}
	}
	if len(o.Command) > 0 {
		c := command{argv: o.Command, limit: commandLimit, log: o.Log}
		ways = append(ways, way{"command", c.tell})
	}
	if len(ways) == 0 || ctx.Err() != nil {
		return
	}
	o.tell(ctx, ways, newRequest(rec, 0))
	if o.Reminder <= 0 {
		return
	}
	ticker := time.NewTicker(o.Reminder)
	defer ticker.Stop()
	for times := 1; ; times++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			o.tell(ctx, ways, newRequest(rec, times))
		}
	}
}

// tell returns when every way has ended, each within its own limit.
func (o Options) tell(ctx context.Context, ways []way, e *told) {
	var telling sync.WaitGroup
	for _, w := range ways {
		telling.Go(func() {
			if err := w.tell(ctx, e); err != nil {
				o.Log.WarnContext(ctx, "the user was not notified", "id", e.ID, "way", w.name, "error", err)
			}
		})
	}
	telling.Wait()
}
