package askuser

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/texts"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/words"
)

// waiting is one call's waiting: until the record has ended, or the call must
// return, with a form for the client, with a ticket when the host will not wait
// longer, or with nothing when the client has gone. Whatever may mean that wakes
// it.
type waiting struct {
	*call
	*present.Waiter
	wake    func()
	ctx     context.Context
	start   time.Time
	clock   *time.Timer     // of how long the host waits
	struck  atomic.Bool     // it has
	settled *time.Timer     // only for a client that is told
	asked   string          // what is asked, for that client
	nobody  <-chan struct{} // closed once no surface shows it; nil where the client is not to be told that
	done    chan struct{}   // closed when the call ends
	turn    sync.Mutex      // one progress message at a time: they must increase
}

// settling is how long a surface shows a question before the client is told of
// it: most that cannot reach the human say so at once.
const settling = 150 * time.Millisecond

// wait has the call wait when its handler has returned.
func (c *call) wait(place *present.Waiter) (*mcp.CallToolResult, error) {
	c.req = nil
	w := &waiting{call: c, Waiter: place}
	w.wake = c.Later(w.step)
	return &mcp.CallToolResult{}, nil
}

// waitOn is wait for a call that needs no place in the order of arrival, and
// holds up nobody behind it.
func (c *call) waitOn(ctx context.Context, place *present.Waiter) (*mcp.CallToolResult, error) {
	placed, err := c.Turn(ctx)
	if err != nil {
		place.Leave()
		return nil, err
	}
	placed()
	return c.wait(place)
}

// step looks at what has happened since the last one. It returns nothing while
// the call waits on.
func (w *waiting) step(ctx context.Context) (r *mcp.CallToolResult, err error) {
	waits := false
	defer func() {
		if !waits {
			w.end()
		}
	}()
	first := w.ctx == nil
	if first {
		w.begin(ctx)
	}
	r, err = w.outcome()
	if waits = r == nil && err == nil; waits && !first && w.settled != nil {
		w.settled.Reset(w.settling)
	}
	return r, err
}

func (w *waiting) begin(ctx context.Context) {
	w.ctx, w.start = ctx, time.Now()
	if w.Asked() && w.attended() {
		w.nobody = w.Nobody()
	}
	w.clock = time.AfterFunc(w.limit(), func() {
		w.struck.Store(true)
		w.wake()
	})
	if w.token != nil {
		questions := w.Record().Questions
		w.asked = words.English.AndMore(question.Shorten(question.Line(questions[0].Text), 80), len(questions)-1)
		w.settled = time.AfterFunc(w.settling, w.progress)
		w.beat.Join(w)
	}
	w.done = make(chan struct{})
	go w.relay()
}

// relay wakes the call after each change, until the call ends.
func (w *waiting) relay() {
	for {
		select {
		case <-w.Changed():
			w.wake()
		case <-w.done:
			return
		}
	}
}

func (w *waiting) end() {
	close(w.done)
	w.clock.Stop()
	if w.token != nil {
		w.settled.Stop()
		w.beat.Leave(w)
	}
}

// outcome is how the call ends; nothing where it waits on.
func (w *waiting) outcome() (*mcp.CallToolResult, error) {
	switch {
	case over(w.Waiter):
		return w.deliver(), nil
	case w.ctx.Err() != nil:
		w.left()
		if errors.Is(context.Cause(w.ctx), ErrClosing) { // and we can still say how to come back
			return w.result(wire.NewResult(w.Record())), nil
		}
		return nil, context.Cause(w.ctx)
	}
	if form := w.Form(); form != nil && w.client.Modern && w.client.Elicits(mcp.ElicitationModeForm) { // others get requests
		if secret, ok := w.Take(form); ok { // the client calls again with the form's result and this state
			builder := mcpserver.NewInputRequestBuilder(w.Record().ID + "." + secret)
			return builder.Elicit(formKey, form.Content.(mcp.ElicitationParams)).ToolResult(), nil
		}
	}
	select {
	case <-w.nobody:
		w.nobody = nil
		if w.openElsewhere() {
			w.nobody = w.Nobody()
		} else if r := w.untold(); r != nil {
			return r, nil
		}
	default:
	}
	if !w.struck.Swap(false) {
		return nil, nil
	}
	if left := w.limit() - time.Since(w.start); left > 0 {
		w.clock.Reset(left) // an open form holds off the host's limit
		return nil, nil
	}
	if w.Look(w.ctx); over(w.Waiter) { // and nothing had told of it
		return w.deliver(), nil
	}
	w.Log.InfoContext(w.ctx, "handing out the ticket", "id", w.Record().ID, "after", time.Since(w.start).Round(time.Second))
	w.Leave()
	return w.result(wire.NewResult(w.Record())), nil
}

// over reports whether the end of a waiter's record is known.
func over(w *present.Waiter) bool {
	select {
	case <-w.Ended():
		return true
	default:
		return false
	}
}

// limit is how long the call may wait as things are.
func (w *waiting) limit() time.Duration {
	if w.Hold > 0 {
		return w.Hold
	}
	surface, _ := w.Surface()
	return w.holds(surface == "elicit" && !w.client.Modern, w.token != nil)
}

// openElsewhere goes on with an inbox or a page that the human opened while the
// other surfaces were tried, and reports whether there is one.
func (w *waiting) openElsewhere() bool {
	i := slices.IndexFunc(w.Surfaces, func(s ui.Surface) bool { return s.Name() == "inbox" })
	if open, err := w.Desk.Present(w.ctx); i < 0 || err != nil || len(open) == 0 {
		return false
	}
	return w.Try(func(*present.Presentation) []ui.Surface { return w.Surfaces[i : i+1] })
}

// untold is the result of a call whose question no surface could show: the
// ticket, and what the model is to tell the human. It is nil where that is not
// why nobody shows it.
func (w *waiting) untold() *mcp.CallToolResult {
	none, ok := errors.AsType[*present.NobodyError](w.Why())
	if !ok {
		return nil
	}
	rec := w.Record()
	w.Log.InfoContext(w.ctx, "nobody was shown the question; the model is to tell the user", "id", rec.ID, "why", none)
	_, address := w.Surface()
	w.Leave()
	return w.result(wire.NewUntold(rec, w.Command, address, none.Error()))
}

// deliver returns the result of a record that has ended. The record is the
// asker's once the result is written: one that the client no longer wanted
// delivers nothing, and the answer waits for the next call.
func (w *waiting) deliver() *mcp.CallToolResult {
	rec, err := w.Result()
	if err != nil {
		w.Leave()
		return w.failed(w.ctx, w.Record().ID, err)
	}
	place := w.Waiter
	w.Transport.Delivered(func(written bool) {
		if written {
			place.Delivered()
		} else {
			place.Leave()
		}
	})
	r := wire.NewResult(rec)
	r.Age(rec, time.Now())
	if w.Unstored() {
		r.Message += " " + texts.Text("unstored")
	}
	if rec.State == desk.Unavailable && rec.Secret() != nil {
		r.Message = texts.Fill("secret", map[string]string{"reason": r.Reason})
	}
	return w.result(r)
}

// left deals with a record whose call the client has ended. A client that gave
// up waiting, or is gone, leaves it open: the answer is kept for when it asks
// again. One that withdrew the question ends it.
func (w *waiting) left() {
	defer w.Leave()
	var cancelled *Cancelled
	if !errors.As(context.Cause(w.ctx), &cancelled) || gaveUp(cancelled.Reason) {
		w.Log.InfoContext(w.ctx, "nobody waits for the answer any more; it will be kept", "id", w.Record().ID, "cause", context.Cause(w.ctx))
		return
	}
	w.Withdraw(cancelled.Error())
}

// progress tells the client what is asked and where to answer: hosts show it
// to the user, and some extend their limit.
func (w *waiting) progress() {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.prepare()()
}

// progress is what a message about it says. A thousand are made at each beat.
type progress struct {
	Message string            `json:"message"`
	Seconds int               `json:"progress"`
	Token   mcp.ProgressToken `json:"progressToken"`
}

// prepare makes the message. The turn is held until it is sent.
func (w *waiting) prepare() (send func()) {
	out := w.Prepare("notifications/progress", progress{w.where() + ": " + w.asked, int(time.Since(w.start).Seconds()), w.token})
	return func() {
		if err := out(); err != nil {
			w.Log.InfoContext(w.ctx, "no progress message", "id", w.Record().ID, "error", err)
		}
	}
}

// where says where to answer, and that another question is there first, where
// one at a time is shown. An address comes first, with nothing glued to it:
// hosts cut the line at the width of the terminal.
func (w *waiting) where() string {
	surface, address := w.Surface()
	waits := "Waiting for your answer"
	switch surface {
	case "tty", "plain", "pane":
		if w.Behind() {
			waits = "Waiting behind another question"
		}
	case "inbox":
		return "Run mcp-askuser inbox to answer"
	case "web":
		if address != "" {
			return address + " waits for your answer"
		}
	}
	return strings.TrimSpace(waits + " " + words.English.Surface(surface))
}
