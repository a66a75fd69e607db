package askuser

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/words"
)

// settleTime is how long a surface shows a question before a progress message
// names it: most surfaces that cannot reach the user fail sooner.
const settleTime = 150 * time.Millisecond

// waiting is the wait of one call for the end of its record, or of the first of several.
type waiting struct {
	*call
	*present.Waiter // the first of all
	all             []*present.Waiter
	start           time.Time
	reports         int             // progress messages so far
	unshown         <-chan struct{} // closed once no surface shows the record; nil if the client must not learn it
}

// wait blocks until the record has ended or the call must return: with a form for
// the client, with a ticket when the host does not wait longer, or with nothing
// when the client has gone.
func (c *call) wait(ctx context.Context, all []*present.Waiter) (*mcp.CallToolResult, error) {
	c.req = nil
	w := &waiting{call: c, Waiter: all[0], all: all, start: time.Now()}
	for _, other := range all {
		other.SignalWith(w.Waiter)
	}
	rec := w.Record()
	if !w.Asked() || w.attended() || w.formLater(&rec) {
		w.unshown = w.Unshown()
	}
	limit := time.After(w.limit())
	var settled, tick <-chan time.Time // nil where the client wants no progress messages
	settles := w.token != nil || w.noWait
	if settles {
		settled = time.After(w.settleTime)
	}
	if w.token != nil {
		tick = time.After(w.untilTick())
	}
	for {
		if r, err := w.outcome(ctx); r != nil || err != nil {
			return r, err
		}
		select {
		case <-ctx.Done():
		case <-w.Changed():
			if settles {
				settled = time.After(w.settleTime)
			}
		case <-settled:
			if w.noWait {
				return w.ticket(ctx), nil
			}
			w.reportProgress(ctx)
		case <-tick:
			tick = time.After(w.untilTick())
			w.reportProgress(ctx)
		case <-limit:
			left := w.limit() - time.Since(w.start) // an open form extends the limit
			if left <= 0 {
				return w.ticket(ctx), nil
			}
			limit = time.After(left)
		}
	}
}

// untilTick returns the time until the next progress messages. All calls send them
// at the same moments, so that the process wakes once for all.
func (t *Tools) untilTick() time.Duration { return t.Tick - time.Since(t.started)%t.Tick }

// outcome returns the result of the call, or nil while it must wait.
func (w *waiting) outcome(ctx context.Context) (*mcp.CallToolResult, error) {
	switch {
	case slices.ContainsFunc(w.all, (*present.Waiter).HasEnded):
		return w.deliver(ctx), nil
	case ctx.Err() != nil:
		w.abandon(ctx)
		if errors.Is(context.Cause(ctx), ErrClosing) { // the client still receives the ticket
			return w.pending("pending", nil), nil
		}
		return nil, context.Cause(ctx)
	}
	if form := w.Form(); form != nil && w.client.Modern && !w.noWait { // other clients receive requests
		params := form.Content.(mcp.ElicitationParams)
		if w.client.Elicits() { // the form may be another client's
			if secret, ok := w.Take(form); ok { // the client calls again with the form's result and this state
				leave(w.all[1:])
				w.Transport.Delivered(func(written bool) {
					if !written {
						w.abandon(ctx)
					}
				})
				builder := mcpserver.NewInputRequestBuilder(w.Record().ID + "." + secret)
				return builder.Elicit(formKey, params).ToolResult(), nil
			}
		}
	}
	select {
	case <-w.unshown:
		w.unshown = nil
		return w.unshownResult(ctx), nil
	default:
		return nil, nil
	}
}

// limit returns how long the call may wait in its present state.
func (w *waiting) limit() time.Duration {
	if w.Hold > 0 {
		return w.Hold
	}
	return w.callLimit(w.Surface() == "elicit" && !w.client.Modern, w.token != nil)
}

// ticket is the result of a call that does not wait, or whose host does not wait longer.
func (w *waiting) ticket(ctx context.Context) *mcp.CallToolResult {
	w.Log.InfoContext(ctx, "the call returns a ticket", "id", w.Record().ID, "after",
		time.Since(w.start).Round(time.Second))
	if w.noWait && w.Asked() {
		now := strings.TrimSuffix("now "+words.English.Surface(w.Surface()), " ") // as "on the page"
		return w.pending("asked", map[string]string{"now": now})
	}
	return w.pending("pending", nil)
}

// pending is the result of a call whose records are open; see wire.NewOpen.
func (w *waiting) pending(text string, values map[string]string) *mcp.CallToolResult {
	leave(w.all)
	return w.result(wire.NewOpen(text, values, w.records()...))
}

func (w *waiting) records() (all []desk.Record) {
	for _, each := range w.all {
		all = append(all, each.Record())
	}
	return all
}

// unshownResult returns the result of a call whose question no surface could show:
// the ticket, and the text with which the model sends the user to it. It is nil if
// the surfaces returned for another reason, or the model knows.
func (w *waiting) unshownResult(ctx context.Context) *mcp.CallToolResult {
	none := w.UnshownReason()
	if !errors.Is(none, ui.ErrUnavailable) {
		return nil
	}
	if rec := w.Record(); w.formLater(&rec) {
		values := map[string]string{"later": "when"}
		if w.attended() {
			values["command"] = w.command()
		}
		return w.pending("asked", values)
	}
	if first := w.Tell(); !first && !w.Asked() {
		return nil
	}
	w.Log.InfoContext(ctx, "no surface shows the question; the model is to tell the user", "id", w.Record().ID, "why",
		none)
	leave(w.all)
	return w.result(wire.NewUntold(w.command(), w.records()...))
}

// command returns what the user runs to answer: only the page takes what must be signed.
func (w *waiting) command() string {
	if w.Record().Prove {
		return w.commandTo("web --open")
	}
	return w.Command
}

// commandTo returns what the user runs here for another command than inbox.
func (t *Tools) commandTo(do string) string { return strings.Replace(t.Command, " inbox", " "+do, 1) }

// abandon handles a call that the client has ended. If the client gave up waiting or
// disconnected, the record stays open, and the answer is kept for the next call. If
// it withdrew the question, the record ends.
func (w *waiting) abandon(ctx context.Context) {
	var cancelled *Cancelled
	if !errors.As(context.Cause(ctx), &cancelled) || gaveUp(cancelled.Reason) {
		w.Log.InfoContext(ctx, "the client stopped waiting; the answer will be kept", "id", w.Record().ID, "cause",
			context.Cause(ctx))
		leave(w.all)
		return
	}
	for _, each := range w.all {
		each.Withdraw(cancelled.Error())
	}
}

// reportProgress sends a progress message that names the question and where to
// answer it. Hosts show it to the user, and some extend their limit.
func (w *waiting) reportProgress(ctx context.Context) {
	questions := w.Record().Questions
	text := w.whereToAnswer() + ": " +
		words.English.AndMore(question.Shorten(question.Line(questions[0].Text), 80), len(questions)-1)
	w.reports++ // the protocol wants a value that increases
	if err := w.Notify("notifications/progress", map[string]any{"message": text, "progress": w.reports,
		"progressToken": w.token}); err != nil {
		w.Log.InfoContext(ctx, "a progress message was not sent", "id", w.Record().ID, "error", err)
	}
}

// whereToAnswer returns the text that says where to answer.
func (w *waiting) whereToAnswer() string {
	if w.Surface() == "inbox" {
		return "Run " + w.command() + " to answer"
	}
	return strings.TrimSpace("Waiting for your answer " + words.English.Surface(w.Surface()))
}
