package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/ui"
)

// requests holds a session's requests to the client that have no answer yet. Each
// belongs to a call, and is withdrawn before the call's response is sent.
type requests struct {
	mu      sync.Mutex
	last    uint64
	waiting map[string]chan *Message // by raw id; capacity 1; closed when withdrawn
}

// do sends a request that belongs to c, calls sent, and waits for the result. If ctx
// or the call ends first, do cancels the request at the client, which then closes
// its form; the error is ctx's cause, or wraps ui.ErrCallEnded and the call's.
func (r *requests) do(ctx context.Context, c *Call, method string, params any, sent func()) (json.RawMessage, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	id, answered, err := r.send(c, method, params)
	if err != nil {
		return nil, err
	}
	sent()
	select {
	case m, ok := <-answered:
		if ok {
			return m.outcome()
		}
	case <-ctx.Done():
	case <-c.ctx.Done():
	}
	err = context.Cause(ctx)
	reason := cmp.Or(err, context.Cause(c.ctx), ui.ErrCallEnded)
	switch {
	case err != nil:
	case errors.Is(reason, ui.ErrCallEnded):
		err = reason
	default: // if ctx is the call's, it is about to end with this cause
		err = fmt.Errorf("%w: %w", ui.ErrCallEnded, reason)
	}
	r.withdraw(c, reason, id)
	if m, ok := <-answered; ok { // the answer arrived before the withdrawal
		return m.outcome()
	}
	return nil, err
}

// send sends a request under a new id, and returns the channel that receives
// its answer.
func (r *requests) send(c *Call, method string, params any) (id string, answered <-chan *Message, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.ended {
		return "", nil, ui.ErrCallEnded
	}
	r.last++
	id = strconv.Quote("askuser-" + strconv.FormatUint(r.last, 10))
	line, err := encode(frame{ID: json.RawMessage(id), Method: method, Params: params})
	if err == nil {
		err = c.out.Send(Outgoing{line: line, call: c, kind: request})
	}
	if err != nil {
		return "", nil, err
	}
	waiting := make(chan *Message, 1)
	r.waiting[id] = waiting
	c.requested = append(c.requested, id)
	return id, waiting, nil
}

// deliver passes the client's answer to its request. Late and repeated answers are
// ignored.
func (r *requests) deliver(m *Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if answered, ok := r.waiting[string(m.ID)]; ok {
		delete(r.waiting, string(m.ID))
		answered <- m
	}
}

// withdraw cancels these requests of c at the client, except those with an answer.
func (r *requests) withdraw(c *Call, reason error, ids ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		answered, ok := r.waiting[id]
		if !ok {
			continue
		}
		delete(r.waiting, id)
		close(answered)
		params := map[string]any{"requestId": json.RawMessage(id), "reason": reason.Error()}
		line, err := encode(frame{Method: string(mcp.MethodNotificationCancelled), Params: params})
		if err == nil { // an error cannot happen
			_ = c.out.Send(Outgoing{line: line, call: c, kind: request}) // fails only after the end of the connection
		}
	}
}

// end withdraws all requests of c and refuses further ones.
func (r *requests) end(c *Call) {
	r.mu.Lock()
	c.ended = true
	r.mu.Unlock()
	r.withdraw(c, ui.ErrCallEnded, c.requested...)
}

// outcome returns the result or the error of a response.
func (m *Message) outcome() (json.RawMessage, error) {
	if m.Error == nil || string(m.Error) == "null" {
		return m.Result, nil
	}
	var details mcp.JSONRPCErrorDetails
	if err := json.Unmarshal(m.Error, &details); err != nil {
		return nil, fmt.Errorf("the client answered with a malformed error: %w", err)
	}
	return nil, fmt.Errorf("the client answered with error %d: %s", details.Code, details.Message)
}
