// Package notify tells the human that a question waits: a ring on a terminal
// of ours, a notification on the desktop, and a command of the user's own. It is
// raised by the process that asks, so that it works with no surface open.
//
// It imports desk, question, ui/words and ui/api. It must not know any surface,
// and shows no question to be answered: whoever hears the bell goes and looks.
// Nothing here fails a question; what goes wrong is logged.
package notify

import (
	"context"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"mcp-askuser/desk"
)

// Options say which ways are used. The zero value tells nobody.
type Options struct {
	// Terminal is a terminal that is ours to ring on; see [Ring].
	Terminal io.Writer
	// Desktop allows a notification on the desktop, where the environment shows
	// one.
	Desktop bool
	// Command is the user's own: a program and its arguments, run as they stand,
	// with the request of ui/api as JSON on standard input.
	Command []string
	// Reminder is how often an open question is told again. 0 means once only.
	Reminder time.Duration

	Getenv func(string) string // os.Getenv if nil
	Log    *slog.Logger        // silent if nil
}

// Notifier tells the human about questions. It is safe for concurrent use.
type Notifier struct {
	ways     []way
	reminder time.Duration
	log      *slog.Logger
}

// way is one way to tell the human.
type way struct {
	name string
	tell func(ctx context.Context, e *told) error
}

// New returns a notifier. It does no I/O.
func New(o Options) *Notifier {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	n := &Notifier{reminder: o.Reminder, log: o.Log}
	if o.Terminal != nil {
		t := &terminal{out: o.Terminal, getenv: o.Getenv}
		n.ways = append(n.ways, way{"terminal", t.tell})
	}
	if o.Desktop {
		if tell := desktop(o.Getenv); tell != nil {
			n.ways = append(n.ways, way{"desktop", tell})
		}
	}
	if len(o.Command) > 0 {
		c := command{argv: o.Command, limit: commandLimit, log: o.Log}
		n.ways = append(n.ways, way{"command", c.tell})
	}
	return n
}

// Notify tells the human about the record in every way at once, and again at
// each reminder until ctx ends, which it should when the record does. It
// returns when nobody is to be told any more: at once after the first time
// without reminders. A caller that has something else to do calls it in a
// goroutine.
func (n *Notifier) Notify(ctx context.Context, rec desk.Record) {
	if len(n.ways) == 0 || ctx.Err() != nil {
		return
	}
	n.tell(ctx, newRequest(rec, 0))
	if n.reminder <= 0 {
		return
	}
	ticker := time.NewTicker(n.reminder)
	defer ticker.Stop()
	for times := 1; ; times++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			n.tell(ctx, newRequest(rec, times))
		}
	}
}

// tell returns when every way has ended, each within its own limit.
func (n *Notifier) tell(ctx context.Context, e *told) {
	var telling sync.WaitGroup
	for _, w := range n.ways {
		telling.Go(func() {
			if err := w.tell(ctx, e); err != nil {
				n.log.WarnContext(ctx, "the user was not notified", "id", e.ID, "way", w.name, "error", err)
			}
		})
	}
	telling.Wait()
}
