package askuser

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/texts"
	"mcp-askuser/tools/askuser/wire"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/words"
)

// call is one call of a tool: it asks a question, waits for an earlier one or
// brings a form's result, and ends with the result, a form for the client, a
// ticket, or nothing.
type call struct {
	*Tools
	Transport
	host
	client  Client
	session string // the host's own id of the dialogue; empty if unknown
	prompt  string // the host's id of the user's prompt; empty if unknown
	toolUse string // the id of the call in the host's transcript; empty if unknown
	token   mcp.ProgressToken
	req     *mcp.CallToolRequest // nil once the call waits
	dropped []string             // parts of the call that cannot be asked, see wire.Call
	noWait  bool                 // the call returns once its questions are shown
}

func (t *Tools) newCall(ctx context.Context, req mcp.CallToolRequest) *call {
	transport := mcpserver.ClientSessionFromContext(ctx).(Transport)
	client := transport.Client()
	c := &call{Tools: t, Transport: transport, host: hostOf(client.Name).within(t.Getenv), client: client,
		req: &req}
	if t.Remote {
		c.host = c.overHTTP()
	}
	if meta := req.Params.Meta; meta != nil {
		c.token = meta.ProgressToken
		id := func(key string) string {
			id, _ := meta.GetMetaField(key).(string)
			return id
		}
		c.session = cmp.Or(id("threadId"), id("sessionId")) // of Codex, as callId
		c.toolUse = wire.ToolUse(cmp.Or(id("claudecode/toolUseId"), id("callId")))
		if turn, ok := meta.GetMetaField("x-codex-turn-metadata").(map[string]any); ok {
			c.prompt, _ = turn["turn_id"].(string)
		}
	}
	return c
}

// arguments returns the arguments as they were sent.
func (c *call) arguments() json.RawMessage {
	if raw := c.req.Params.RawArguments; len(raw) > 0 {
		return raw
	}
	return json.RawMessage("{}")
}

// serve opens the questions of the call and waits for their end, unless the arguments
// are bad. A call that brings the result of a form joins the question of the form.
// Open returns the waiters, or the result of a call that does not wait, or neither
// once ctx has ended.
func (c *call) serve(
	ctx context.Context, bad error, open func() ([]*present.Waiter, *mcp.CallToolResult),
) (*mcp.CallToolResult, error) {
	var w []*present.Waiter
	var r *mcp.CallToolResult
	switch {
	case c.req.Params.RequestState != "":
		w, r = c.resume(ctx)
	case bad != nil:
		r = badArguments(bad)
	default:
		w, r = open()
	}
	switch {
	case w != nil:
		return c.wait(ctx, w)
	case r != nil:
		return r, nil
	}
	return nil, context.Cause(ctx)
}

// ask opens the question of a call that asks.
func (c *call) ask(ctx context.Context, form *wire.Call) ([]*present.Waiter, *mcp.CallToolResult) {
	request := desk.Request{
		Set:     form.Set,
		Session: c.qualifySession(cmp.Or(c.session, c.client.Session)),
		Asker: desk.Asker{
			Client: cmp.Or(c.client.Name, words.UnknownClient), Version: c.client.Version,
			Directory: c.Directory(ctx), Via: "mcp", Agent: c.client.Agent, PID: c.Host,
		},
		Timeout:   cmp.Or(form.Timeout, c.Timeout),
		OnTimeout: form.OnTimeout,
		Rounds:    form.Rounds,
		Prove:     c.client.Prove,
		ToolUse:   cmp.Or(form.ToolUse, c.toolUse),
	}
	request.Row = request.Session + c.prompt
	if form.Session != "" && !form.Set.Confirms() { // a confirmation belongs to the session that asked for it
		session := c.qualifySession(form.Session)
		err := c.Desk.Continues(ctx, session, request.Asker)
		switch {
		case errors.Is(err, desk.ErrForeignSession):
			message := err.Error() + "; leave it out, or name another"
			return nil, badArguments(question.Violations{{Path: "session_id", Message: message}})
		case err != nil:
			return nil, c.failureResult(ctx, "", fmt.Errorf("looking for the session: %w", err))
		}
		request.Session = session
	}
	if len(form.Set.Asked(nil)) == 0 { // the call brings answers to all its questions
		rec, err := c.Desk.Note(ctx, request, desk.Outcome{Status: desk.Answered, Reply: &question.Reply{}})
		if err != nil {
			return nil, c.failureResult(ctx, "", fmt.Errorf("noting a call that asks nothing: %w", err))
		}
		return nil, c.result(wire.NewResult(rec))
	}
	later := c.formLater(&desk.Record{Set: request.Set, Prove: request.Prove})
	w, err := c.submit(ctx, present.Question{
		Request: request, Surfaces: c.surfaces(!c.noWait), KeepOpen: c.attended() || later,
		Interrupted: desk.Dismissed,
	})
	var limit *desk.RoundLimitError
	switch {
	case errors.As(err, &limit): // the model continues without asking; the user can lift the limit
		values := map[string]string{"rounds": fmt.Sprint(limit.Limit), "command": c.commandTo("lift " + limit.Session)}
		return nil, toolResult(wire.Refused(wire.CodeRoundLimit, texts.Fill("rounds", values)))
	case err != nil && ctx.Err() == nil:
		return nil, c.failureResult(ctx, "", fmt.Errorf("asking: %w", err))
	case err != nil:
		return nil, nil
	}
	return []*present.Waiter{w}, nil
}

// submit submits the question after those of the calls that arrived earlier in
// the session: ids and rounds follow the order of arrival. A bounded number of
// sessions submit at once, each in a goroutine of its own: to submit takes twice
// the stack of all the rest, and a call that waits would keep those 16 KiB.
func (c *call) submit(ctx context.Context, q present.Question) (w *present.Waiter, err error) {
	release, err := c.Turn(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	select {
	case c.submitting <- struct{}{}:
		defer func() { <-c.submitting }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	submitted := make(chan struct{})
	go func() {
		defer close(submitted)
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
			}
		}()
		w, err = c.Presenter.Ask(ctx, q)
	}()
	<-submitted
	return w, err
}

// qualifySession returns a session id that is unique among agents: each agent has
// its own names of sessions.
func (c *call) qualifySession(session string) string {
	if agent := c.client.Agent; agent != "" && session != "" {
		return agent + ":" + strings.TrimPrefix(session, agent+":")
	}
	return session
}

// resume passes the form's result to its surface. The request state comes from the
// client: it is valid only if this server issued it.
func (c *call) resume(ctx context.Context) ([]*present.Waiter, *mcp.CallToolResult) {
	id, secret, _ := strings.Cut(c.req.Params.RequestState, ".")
	w := c.Presenter.Return(id, secret, c.req.Params.InputResponses)
	if w != nil {
		return c.rejoin(ctx, nil, w)
	}
	return c.rejoin(ctx, []string{id})
}

// rejoin joins records that the same agent asked before, beside those of all. For other
// agents a record does not exist. The client's form shows the first alone: it ends with
// the call, and the call with the first answer.
func (c *call) rejoin(
	ctx context.Context, ids []string, all ...*present.Waiter,
) ([]*present.Waiter, *mcp.CallToolResult) {
	var unknown question.Violations
	for _, id := range ids {
		var w *present.Waiter
		rec, err := c.Presenter.Get(ctx, id)
		if err == nil && rec.Asker.Agent != c.client.Agent {
			err = desk.ErrNotFound
		}
		if err == nil {
			w, err = c.Presenter.Join(ctx, id, c.surfaces(!c.noWait && all == nil))
		}
		switch {
		case err == nil:
			all = append(all, w)
		case errors.Is(err, desk.ErrNotFound):
			unknown.Add("id", "no question has the id %q; ask again with ask_user_question", id)
		default:
			leave(all)
			r := c.failure(ctx, id, fmt.Errorf("reading the question: %w", err))
			if !errors.Is(err, desk.ErrDamaged) {
				r.Replace("unread", map[string]string{"id": strconv.Quote(id)})
			}
			return nil, c.result(r)
		}
	}
	if unknown != nil {
		leave(all)
		return nil, badArguments(unknown)
	}
	release, err := c.Turn(ctx)
	release() // later calls do not wait for one that asks nothing
	if err != nil {
		leave(all)
		return nil, nil
	}
	return all, nil
}

func leave(all []*present.Waiter) {
	for _, w := range all {
		w.Leave()
	}
}

// attended reports whether a user reads what the client's model writes.
func (c *call) attended() bool {
	return c.Attended != nil && c.Attended(c.name != "")
}

func (c *call) failureResult(ctx context.Context, id string, err error) *mcp.CallToolResult {
	return c.result(c.failure(ctx, id, err))
}

// failure returns the result of an internal failure: it logs the cause, and gives the
// model one sentence.
func (c *call) failure(ctx context.Context, id string, err error) *wire.Result {
	c.Log.ErrorContext(ctx, "a call failed", "id", id, "error", err)
	return wire.NewResult(desk.Record{ID: id, State: desk.Failed, Outcome: &desk.Outcome{Status: desk.Failed}})
}

// result returns the result of the call, and names the parts that were not asked.
func (c *call) result(r *wire.Result) *mcp.CallToolResult {
	if c.dropped != nil {
		r.Add("dropped", map[string]string{"dropped": strings.Join(c.dropped, "; ")})
	}
	return toolResult(r)
}

func toolResult(r *wire.Result) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Content:           []mcp.Content{mcp.NewTextContent(question.Readable(r.Text))},
		StructuredContent: r,
		IsError:           r.IsError(),
	}
}

// badArguments returns a result that names every fault of the arguments.
func badArguments(err error) *mcp.CallToolResult {
	if _, ok := errors.AsType[question.Violations](err); !ok {
		err = question.Violations{{Path: "arguments", Message: "are not valid JSON: " + err.Error()}}
	}
	return toolResult(wire.Refused(wire.CodeValidation, err.Error()))
}
