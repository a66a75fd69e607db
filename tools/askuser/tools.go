package askuser

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
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
	"mcp-askuser/ui/elicit"
)

// Config is what the tools need from their surroundings.
type Config struct {
	Desk      *desk.Desk
	Presenter *ui.Presenter
	Log       *slog.Logger
	Limits    question.Limits
	// Surfaces are tried in order. One named elicit stands for the client's
	// own form.
	Surfaces  []ui.Surface
	Hold      time.Duration // how long one call waits; 0: as its host allows
	Timeout   time.Duration // how long the human may take; 0: without end
	Session   string        // the dialogue, where the host names none
	Directory string        // the project that the asker works in
	Tick      time.Duration // between progress messages; 0: 10 s
}

// Elicit stands for the client's own form in Config.Surfaces.
func Elicit() ui.Surface { return ownForm{} }

type ownForm struct{}

func (ownForm) Name() string { return "elicit" }

func (ownForm) Show(context.Context, desk.Record, ui.Commit) error {
	return ui.Unavailablef("there is no MCP client here")
}

// Tools are the MCP tools. They are safe for concurrent use.
type Tools struct {
	Config
	background sync.WaitGroup
	archiving  sync.Mutex
	closing    atomic.Bool

	mu    sync.Mutex
	shown map[string]*showing // by record id
}

// showing is one record in front of the human, and the calls that wait for it.
type showing struct {
	*ui.Presentation
	id      string
	trip    *roundTrip
	address atomic.Pointer[string] // of the page, where the human must be told

	// Guarded by Tools.mu:
	waiting    int              // calls, and forms that are with the client
	attendance *desk.Attendance // held while anyone waits
}

// New returns the tools.
func New(c Config) *Tools {
	c.Limits.Lenient = true // see question.Limits
	if c.Tick <= 0 {
		c.Tick = 10 * time.Second
	}
	return &Tools{Config: c, shown: map[string]*showing{}}
}

// Close waits for what goes on behind the calls, and leaves undone what can
// be done later.
func (t *Tools) Close() {
	t.closing.Store(true)
	t.background.Wait()
}

// Register adds the three tools to an MCP server.
func (t *Tools) Register(s *mcpserver.MCPServer) {
	schema := wire.Schemas(t.Limits)
	s.AddTools(
		mcpserver.ServerTool{Tool: tool("ask_user_question", "Ask the user", schema.Ask, schema.AskResult), Handler: t.handle(wire.DecodeAsk)},
		mcpserver.ServerTool{Tool: tool("confirm_action", "Confirm an action", schema.Confirm, schema.ConfirmResult), Handler: t.handle(wire.DecodeConfirm)},
		mcpserver.ServerTool{Tool: tool("await_answer", "Await an answer", schema.Await, schema.AwaitResult), Handler: t.await},
	)
}

// tool describes a tool. It asks and changes nothing: without readOnlyHint
// hosts want an approval for every call and run the calls of one turn one
// after the other (B2, FACTS 2).
func tool(name, title string, input, output json.RawMessage) mcp.Tool {
	yes, no := true, false
	x := mcp.NewToolWithRawSchema(name, texts.Text(name), input)
	x.RawOutputSchema = output
	x.Annotations = mcp.ToolAnnotation{Title: title, ReadOnlyHint: &yes, DestructiveHint: &no, IdempotentHint: &no, OpenWorldHint: &yes}
	x.Meta = mcp.NewMetaFromMap(map[string]any{"anthropic/alwaysLoad": true})
	return x
}

// handle is the life of a call that asks.
func (t *Tools) handle(decode func([]byte, question.Limits) (wire.Call, error)) mcpserver.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := callerOf(ctx, req)
		if state := req.Params.RequestState; state != "" {
			return t.resume(ctx, c, req)
		}
		call, err := decode(arguments(req), t.Limits)
		if err != nil {
			return badArguments(err), nil
		}
		if len(call.Set.Shown(nil)) == 0 {
			return t.nothingToAsk(call.Set), nil
		}
		return t.submit(ctx, c, call)
	}
}

// submit puts the call's set on the desk, or finds the record of an earlier
// call that asked the same and lost its way to the answer.
func (t *Tools) submit(ctx context.Context, c caller, call wire.Call) (*mcp.CallToolResult, error) {
	if call.Timeout == 0 {
		call.Timeout = t.Timeout
	}
	rec, attendance, err := t.Desk.Submit(ctx, desk.Request{
		Set:       call.Set,
		Session:   cmp.Or(c.session, t.Session),
		Asker:     c.asker(t.Directory),
		Timeout:   call.Timeout,
		OnTimeout: call.OnTimeout,
	})
	var limit *desk.RoundLimitError
	switch {
	case errors.As(err, &limit):
		return tooManyRounds(limit), nil
	case err != nil:
		return t.failed(ctx, "", fmt.Errorf("asking: %w", err)), nil
	case rec.Outcome != nil:
		return t.collect(ctx, c, rec, attendance.Release), nil
	}
	show := t.present(ctx, c, rec)
	t.arrive(show, attendance)
	return t.wait(ctx, c, rec, show, true)
}

// tooManyRounds is the way out of D9: the model goes on without asking, the
// user can let it ask again.
func tooManyRounds(limit *desk.RoundLimitError) *mcp.CallToolResult {
	return mcp.NewToolResultError(texts.Fill("rounds", map[string]string{"rounds": strconv.Itoa(limit.Limit), "session": limit.Session}))
}

// nothingToAsk answers a call that brings all its answers along.
func (t *Tools) nothingToAsk(set question.Set) *mcp.CallToolResult {
	return toolResult(wire.NewResult(desk.Record{Set: set, State: desk.Answered, Outcome: &desk.Outcome{Status: desk.Answered, Reply: &question.Reply{}}}))
}

// await is the handler of await_answer.
func (t *Tools) await(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	c := callerOf(ctx, req)
	if state := req.Params.RequestState; state != "" {
		return t.resume(ctx, c, req)
	}
	id, err := wire.DecodeAwait(arguments(req))
	if err != nil {
		return badArguments(err), nil
	}
	return t.rejoin(ctx, c, id, false)
}

// resume goes on with a call that had returned with a form. The state is the
// client's word: it counts only where we handed it out.
func (t *Tools) resume(ctx context.Context, c caller, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	id, secret := splitState(req.Params.RequestState)
	t.mu.Lock()
	show := t.shown[id]
	t.mu.Unlock()
	asked := false
	if show != nil {
		var handed bool
		if asked, handed = show.trip.bring(secret, req.Params.InputResponses); handed {
			defer t.depart(show) // this call waits now, no longer the form
		}
	}
	return t.rejoin(ctx, c, id, asked)
}

// rejoin waits for a record that was asked before.
func (t *Tools) rejoin(ctx context.Context, c caller, id string, asked bool) (*mcp.CallToolResult, error) {
	rec, err := t.Desk.Get(ctx, id)
	if errors.Is(err, desk.ErrNotFound) {
		return badArguments(question.Violations{{Path: "id", Message: fmt.Sprintf("no question has the id %q; ask again with ask_user_question", id)}}), nil
	}
	if err != nil {
		return t.failed(ctx, id, fmt.Errorf("reading the question: %w", err)), nil
	}
	if rec.Outcome != nil {
		return t.collect(ctx, c, rec, func() {}), nil
	}
	show := t.present(ctx, c, rec)
	t.arrive(show, nil)
	return t.wait(ctx, c, rec, show, asked)
}

// present puts the record in front of the human, if it is not there already.
func (t *Tools) present(ctx context.Context, c caller, rec desk.Record) *showing {
	t.mu.Lock()
	defer t.mu.Unlock()
	if running := t.shown[rec.ID]; running != nil {
		select {
		case <-running.Done():
		default:
			return running
		}
	}
	show := &showing{id: rec.ID, trip: newRoundTrip()}
	show.Presentation = t.Presenter.Present(rec, t.surfaces(ctx, c, show))
	t.shown[rec.ID] = show
	t.background.Go(func() {
		<-show.Done()
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.shown[rec.ID] == show {
			delete(t.shown, rec.ID)
		}
	})
	return show
}

// teller is a surface that may have to tell the human its address.
type teller interface {
	Telling(tell func(address string)) ui.Surface
}

// surfaces returns the surfaces to try, the client's own form in its place.
// Only a client that asked for progress messages can be told an address.
func (t *Tools) surfaces(ctx context.Context, c caller, show *showing) []ui.Surface {
	out := make([]ui.Surface, len(t.Surfaces))
	for i, s := range t.Surfaces {
		if s.Name() == "elicit" {
			s = c.form(ctx, show.trip)
		}
		if page, ok := s.(teller); ok && c.progress != nil {
			s = page.Telling(func(address string) { show.address.Store(&address) })
		}
		out[i] = s
	}
	return out
}

// form is the surface of the client's own form; a client that did not declare
// it is sent nothing.
func (c *caller) form(ctx context.Context, trip *roundTrip) ui.Surface {
	conn, able := c.conn.(mcpserver.SessionWithElicitation)
	switch {
	case !c.forms:
		return undeclared{}
	case c.modern:
		return elicit.New(trip, c.showsArrays())
	case able:
		return elicit.New(direct{ctx, conn}, c.showsArrays())
	}
	return undeclared{}
}

type undeclared struct{ ownForm }

func (undeclared) Show(context.Context, desk.Record, ui.Commit) error {
	return ui.Unavailablef("the client did not declare form elicitation")
}

// arrive counts a call in that waits for a record, and makes the record
// attended. A call that asked brings its attendance; one that comes back claims
// it, unless another process waits too: then both get the answer.
func (t *Tools) arrive(show *showing, attendance *desk.Attendance) {
	t.mu.Lock()
	defer t.mu.Unlock()
	show.waiting++
	if show.attendance != nil {
		attendance.Release()
		return
	}
	if attendance == nil {
		attendance, _ = t.Desk.Attend(context.Background(), show.id)
	}
	show.attendance = attendance
}

// depart counts it out again. When nobody waits any more the record is
// detached.
func (t *Tools) depart(show *showing) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if show.waiting--; show.waiting == 0 {
		show.attendance.Release()
		show.attendance = nil
	}
}

// collect hands an ended record to its asker, and puts it away once the asker
// has it. A response that the client no longer wanted collects nothing: the
// answer waits for the next call. Then done is called.
func (t *Tools) collect(ctx context.Context, c caller, rec desk.Record, done func()) *mcp.CallToolResult {
	c.delivered(ctx, func(written bool) {
		t.background.Go(func() {
			if written {
				t.putAway(rec.ID)
			}
			done()
		})
	})
	return toolResult(wire.NewResult(rec))
}

// putAway archives a record that has ended, one at a time: nobody waits for it.
func (t *Tools) putAway(id string) {
	t.archiving.Lock()
	defer t.archiving.Unlock()
	if t.closing.Load() {
		return // it can be archived later, by anyone
	}
	if err := t.Desk.Collect(context.Background(), id); err != nil {
		t.Log.Error("archiving failed", "id", id, "error", err)
	}
}

// failed is the result of a failure inside: the log gets the cause, the model
// one sentence (C5).
func (t *Tools) failed(ctx context.Context, id string, err error) *mcp.CallToolResult {
	t.Log.ErrorContext(ctx, "a call failed", "id", id, "error", err)
	return toolResult(wire.NewResult(desk.Record{ID: id, State: desk.Failed, Outcome: &desk.Outcome{Status: desk.Failed}}))
}

func toolResult(r *wire.Result) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Content:           []mcp.Content{mcp.NewTextContent(r.Message)},
		StructuredContent: r,
		IsError:           r.IsError(),
	}
}

func badArguments(err error) *mcp.CallToolResult {
	var v question.Violations
	if !errors.As(err, &v) {
		err = question.Violations{{Path: "arguments", Message: "are not valid JSON: " + err.Error()}}
	}
	return mcp.NewToolResultError(err.Error())
}
