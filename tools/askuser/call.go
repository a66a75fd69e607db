package askuser

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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

// call is one call of a tool, and its life: it puts a question, comes back for
// one or brings a form's result, takes its place among those that wait, and
// ends with the result, a form for the client, a ticket, or nothing.
type call struct {
	*Tools
	Transport
	caller
	req     mcp.CallToolRequest
	dropped []string // of what was to be asked, see wire.Call
}

func (t *Tools) newCall(ctx context.Context, req mcp.CallToolRequest) *call {
	transport := transportOf(ctx)
	return &call{Tools: t, Transport: transport, caller: callerOf(transport.Client(), req, t.Remote), req: req}
}

// arguments returns the arguments as they were sent.
func (c *call) arguments() json.RawMessage {
	if raw := c.req.GetRawArguments(); raw != nil {
		if data, ok := raw.(json.RawMessage); ok && len(data) > 0 {
			return data
		}
		if data, err := json.Marshal(raw); err == nil {
			return data
		}
	}
	return json.RawMessage("{}")
}

// put puts the question of a call that asks.
func (c *call) put(ctx context.Context, form wire.Call) (*mcp.CallToolResult, error) {
	request := desk.Request{
		Set:       form.Set,
		Session:   c.own(cmp.Or(c.session, c.Session())),
		Asker:     c.asker(c.Agent(), c.Directory(ctx), c.Host),
		Timeout:   cmp.Or(form.Timeout, c.Timeout),
		OnTimeout: form.OnTimeout,
		Turn:      c.Turn,
	}
	request.Row = request.Session + c.prompt
	if form.Session != "" && !form.Set.Confirms() { // a yes is of the session in which it was asked for
		session := c.own(form.Session)
		err := c.Desk.Continues(ctx, session, request.Asker)
		switch {
		case errors.Is(err, desk.ErrForeignSession):
			return badArguments(question.Violations{{Path: "session_id", Message: err.Error() + "; leave it out, or name another"}}), nil
		case err != nil:
			return c.failed(ctx, "", fmt.Errorf("looking for the session: %w", err)), nil
		}
		request.Session = session
	}
	if len(form.Set.Asked(nil)) == 0 { // the call brings all its answers along
		rec, err := c.Desk.Note(ctx, request, desk.Outcome{Status: desk.Answered, Reply: &question.Reply{}})
		if err != nil {
			c.Log.WarnContext(ctx, "a call that asked nothing leaves no trace", "error", err)
			rec.ID = "" // nobody finds it
		}
		return c.result(wire.NewResult(rec)), nil
	}
	w, err := c.Presenter.Ask(ctx, present.Question{Request: request, Surfaces: c.surfaces(), Stays: c.attended(), Interrupted: desk.Dismissed})
	var limit *desk.RoundLimitError
	switch {
	case errors.As(err, &limit):
		return tooManyRounds(limit), nil
	case ctx.Err() != nil && err != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return c.failed(ctx, "", fmt.Errorf("asking: %w", err)), nil
	}
	return c.wait(ctx, w)
}

// own is the dialogue that the agent means by a name: names say nothing beyond
// it.
func (c *call) own(session string) string {
	if agent := c.Agent(); agent != "" && session != "" {
		return agent + ":" + strings.TrimPrefix(session, agent+":")
	}
	return session
}

// returns reports whether the call comes back from one that had returned with
// a form.
func (c *call) returns() bool { return c.req.Params.RequestState != "" }

// resume takes the form's result to the surface and goes on waiting. The state
// is the client's word: it counts only where we handed it out.
func (c *call) resume(ctx context.Context) (*mcp.CallToolResult, error) {
	id, secret, _ := strings.Cut(c.req.Params.RequestState, ".")
	if w := c.Presenter.Return(id, secret, c.req.Params.InputResponses); w != nil {
		return c.waitOn(ctx, w)
	}
	return c.rejoin(ctx, id)
}

// rejoin waits for a record that was asked before, by the same agent: to any
// other it is not there.
func (c *call) rejoin(ctx context.Context, id string) (*mcp.CallToolResult, error) {
	var w *present.Waiter
	rec, err := c.Desk.Get(ctx, id)
	if err == nil && rec.Asker.Agent != c.Agent() {
		err = desk.ErrNotFound
	}
	if err == nil {
		w, err = c.Presenter.Join(ctx, id, c.surfaces())
	}
	switch {
	case errors.Is(err, desk.ErrNotFound):
		return badArguments(question.Violations{{Path: "id", Message: fmt.Sprintf("no question has the id %q; ask again with ask_user_question", id)}}), nil
	case err != nil:
		return c.failed(ctx, id, fmt.Errorf("reading the question: %w", err)), nil
	}
	return c.waitOn(ctx, w)
}

// waitOn is wait for a call that needs no place in the order of arrival, and
// holds up nobody behind it.
func (c *call) waitOn(ctx context.Context, w *present.Waiter) (*mcp.CallToolResult, error) {
	placed, err := c.Turn(ctx)
	if err != nil {
		w.Leave()
		return nil, err
	}
	placed()
	return c.wait(ctx, w)
}

// settling is how long a surface shows a question before the client is told of
// it: most that cannot reach the human say so at once.
const settling = 150 * time.Millisecond

// wait stays until the record has ended, or the call must return: with a form
// for the client, with a ticket when the host will not wait longer, or with
// nothing when the client has gone.
func (c *call) wait(ctx context.Context, w *present.Waiter) (*mcp.CallToolResult, error) {
	here := &waiting{call: c, Waiter: w, ctx: ctx, start: time.Now()}
	hold := time.NewTimer(c.hold(w))
	defer hold.Stop()
	var forms <-chan *present.Form // of a client of the newer era; others get requests
	if c.modern && c.forms {
		forms = w.Forms()
	}
	var nobody <-chan struct{} // for a call whose client has not been told yet
	if w.Asked() && c.attended() {
		nobody = w.Nobody()
	}
	changed := w.Changed()
	var settled *time.Timer // only for a client that is told
	var tell <-chan time.Time
	if c.token != nil {
		settled = time.NewTimer(c.settling)
		defer settled.Stop()
		tell = settled.C
	}
	defer c.beat.join(here)()
	for {
		select {
		case <-w.Ended():
			return c.deliver(ctx, w), nil
		case <-changed:
			changed = w.Changed()
			if settled != nil {
				settled.Reset(c.settling)
			}
		case <-tell:
			here.progress()
		case <-nobody:
			if nobody = nil; c.openElsewhere(ctx, w) {
				nobody = w.Nobody()
			} else if r := c.untold(ctx, w); r != nil {
				return r, nil
			}
		case form := <-forms:
			if secret, ok := w.Take(form); ok {
				return handOut(form, w.Record().ID+"."+secret), nil
			}
		case <-hold.C:
			if left := c.hold(w) - time.Since(here.start); left > 0 {
				hold.Reset(left) // an open form holds off the host's limit
				continue
			}
			if w.Look(ctx); over(w) { // and nothing had told of it
				return c.deliver(ctx, w), nil
			}
			c.Log.InfoContext(ctx, "handing out the ticket", "id", w.Record().ID, "after", time.Since(here.start).Round(time.Second))
			w.Leave()
			return c.result(wire.NewResult(w.Record())), nil
		case <-ctx.Done():
			c.left(ctx, w)
			if errors.Is(context.Cause(ctx), ErrClosing) { // and we can still say how to come back
				return c.result(wire.NewResult(w.Record())), nil
			}
			return nil, context.Cause(ctx)
		}
	}
}

// attended reports whether a human sits at the client, to whom its model can
// say something.
func (c *call) attended() bool {
	return c.Attended != nil && c.Attended(c.name != "")
}

// openElsewhere goes on with an inbox or a page that the human opened while the
// other surfaces were tried, and reports whether there is one.
func (c *call) openElsewhere(ctx context.Context, w *present.Waiter) bool {
	i := slices.IndexFunc(c.Surfaces, func(s ui.Surface) bool { return s.Name() == "inbox" })
	if open, err := c.Desk.Present(ctx); i < 0 || err != nil || len(open) == 0 {
		return false
	}
	return w.Try(func(*present.Presentation) []ui.Surface { return c.Surfaces[i : i+1] })
}

// untold is the result of a call whose question no surface could show: the
// ticket, and what the model is to tell the human. It is nil where that is not
// why nobody shows it.
func (c *call) untold(ctx context.Context, w *present.Waiter) *mcp.CallToolResult {
	var none *present.NobodyError
	if !errors.As(w.Why(), &none) {
		return nil
	}
	rec := w.Record()
	c.Log.InfoContext(ctx, "nobody was shown the question; the model is to tell the user", "id", rec.ID, "why", none)
	_, address := w.Surface()
	w.Leave()
	return c.result(wire.NewUntold(rec, c.Command, address, none.Error()))
}

// hold is how long the call may wait as things are.
func (c *call) hold(w *present.Waiter) time.Duration {
	if c.Hold > 0 {
		return c.Hold
	}
	surface, _ := w.Surface()
	return c.holds(surface == "elicit" && !c.modern, c.token != nil)
}

// deliver returns the result of a record that has ended. The record is the
// asker's once the result is written: one that the client no longer wanted
// delivers nothing, and the answer waits for the next call.
func (c *call) deliver(ctx context.Context, w *present.Waiter) *mcp.CallToolResult {
	rec, err := w.Result()
	if err != nil {
		w.Leave()
		return c.failed(ctx, w.Record().ID, err)
	}
	c.Delivered(func(written bool) {
		if written {
			w.Delivered()
		} else {
			w.Leave()
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
	return c.result(r)
}

// left deals with a record whose call the client has ended. A client that gave
// up waiting, or is gone, leaves it open: the answer is kept for when it asks
// again. One that withdrew the question ends it.
func (c *call) left(ctx context.Context, w *present.Waiter) {
	defer w.Leave()
	var cancelled *Cancelled
	if !errors.As(context.Cause(ctx), &cancelled) || gaveUp(cancelled.Reason) {
		c.Log.InfoContext(ctx, "nobody waits for the answer any more; it will be kept", "id", w.Record().ID, "cause", context.Cause(ctx))
		return
	}
	w.Withdraw(cancelled.Error())
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

// progress tells the client what is asked and where to answer: hosts show it
// to the user, and some extend their limit.
func (w *waiting) progress() {
	if w.token == nil {
		return
	}
	w.turn.Lock()
	defer w.turn.Unlock()
	w.sent(w.prepare()())
}

// prepare makes the message. The turn is held until it is sent.
func (w *waiting) prepare() (send func() error) {
	rec := w.Record()
	text := question.Shorten(question.Line(rec.Questions[0].Text), 80)
	if n := len(rec.Questions); n > 1 {
		text += fmt.Sprintf(" (and %d more)", n-1)
	}
	send, err := w.Prepare("notifications/progress", map[string]any{
		"progressToken": w.token,
		"progress":      int(time.Since(w.start).Seconds()),
		"message":       w.where() + ": " + text,
	})
	if err != nil {
		return func() error { return err }
	}
	return send
}

func (w *waiting) sent(err error) {
	if err != nil {
		w.Log.InfoContext(w.ctx, "no progress message", "id", w.Record().ID, "error", err)
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
	return waits + words.English.Place(surface)
}

// failed is the result of a failure inside: the log gets the cause, the model
// one sentence (C5).
func (c *call) failed(ctx context.Context, id string, err error) *mcp.CallToolResult {
	c.Log.ErrorContext(ctx, "a call failed", "id", id, "error", err)
	return c.result(wire.NewResult(desk.Record{ID: id, State: desk.Failed, Outcome: &desk.Outcome{Status: desk.Failed}}))
}

// result is the result of the call, with what of it was not asked.
func (c *call) result(r *wire.Result) *mcp.CallToolResult {
	if c.dropped != nil {
		r.Message += " " + texts.Fill("dropped", map[string]string{"dropped": strings.Join(c.dropped, "; ")})
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{mcp.NewTextContent(r.Message)},
		StructuredContent: r,
		IsError:           r.IsError(),
	}
}

// handOut is the result that takes a form to the client, which calls again with
// the form's result and this state (FACTS 5.11).
func handOut(form *present.Form, state string) *mcp.CallToolResult {
	return mcpserver.NewInputRequestBuilder(state).Elicit(formKey, form.Content.(mcp.ElicitationParams)).ToolResult()
}

// badArguments names every fault of the arguments.
func badArguments(err error) *mcp.CallToolResult {
	if _, ok := errors.AsType[question.Violations](err); !ok {
		err = question.Violations{{Path: "arguments", Message: "are not valid JSON: " + err.Error()}}
	}
	return mcp.NewToolResultError(err.Error())
}

// tooManyRounds is the way out of D9: the model goes on without asking, the
// user can let it ask again.
func tooManyRounds(limit *desk.RoundLimitError) *mcp.CallToolResult {
	return mcp.NewToolResultError(texts.Fill("rounds", map[string]string{"rounds": fmt.Sprint(limit.Limit), "session": limit.Session}))
}
