package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui"
)

// request is a request of ours to the client. It belongs to a call, and is withdrawn
// before the call's response is sent.
type request struct {
	call   *Call
	id     string // raw
	answer <-chan *Message
}

// request sends a request to the client. Callers must call wait.
func (c *Call) request(ctx context.Context, method string, params any) (*request, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.ctx.Err() != nil {
		return nil, c.endError()
	}
	s.requested++
	id := strconv.Quote("askuser-" + strconv.Itoa(s.requested))
	err := send(c.out, Outgoing{}, frame{ID: json.RawMessage(id), Method: method, Params: params})
	if err != nil {
		return nil, err
	}
	answer := make(chan *Message, 1)
	s.requests[id] = answer
	c.requests.Add(1)
	return &request{c, id, answer}, nil
}

// errDropped means that a client that stacks forms has lost this one, see [Session.deliver].
var errDropped = errors.New("the client has dropped the request")

// wait waits for the result. If ctx or the call ends first, it cancels the request at
// the client, which then closes its form; the error is ctx's cause, or wraps
// ui.ErrCallEnded and the call's.
func (r *request) wait(ctx context.Context) (json.RawMessage, error) {
	defer r.call.requests.Done()
	select {
	case m := <-r.answer:
		return m.outcome()
	case <-ctx.Done():
	case <-r.call.ctx.Done():
	}
	stacks := r.call.session.stacksForms()
	if r.call.session.takeRequest(r.id, stacks) == nil { // the answer arrived before
		return (<-r.answer).outcome()
	}
	err := context.Cause(ctx)
	reason := cmp.Or(err, context.Cause(r.call.ctx))
	params := map[string]any{"requestId": json.RawMessage(r.id), "reason": reason.Error()}
	withdrawal := frame{Method: string(mcp.MethodNotificationCancelled), Params: params}
	if !stacks { // it would still show the form, and not say when its user closes it
		_ = send(r.call.out, Outgoing{}, withdrawal) // fails only after the end of the connection
	}
	if err == nil {
		err = r.call.endError()
	}
	return nil, err
}

// endError returns ui.ErrCallEnded with the cause of the call's end.
func (c *Call) endError() error {
	cause := context.Cause(c.ctx)
	if errors.Is(cause, ui.ErrCallEnded) {
		return cause
	}
	return fmt.Errorf("%w: %w", ui.ErrCallEnded, cause)
}

// endRequests ends the call's context, refuses further requests of the call, and returns
// when those under way are withdrawn.
func (c *Call) endRequests() {
	c.session.mu.Lock()
	c.end(ui.ErrCallEnded)
	c.session.mu.Unlock()
	c.requests.Wait()
}

// deliver passes the client's answer to its request. Late and repeated answers are
// ignored. A client that stacks forms has dropped all others with one that its user has closed.
func (s *Session) deliver(m *Message) {
	answer := s.takeRequest(string(m.ID), false)
	if answer == nil {
		return
	}
	answer <- m
	var form mcp.ElicitationResponse
	_ = json.Unmarshal(m.Result, &form)
	if form.Action == mcp.ElicitationResponseActionCancel && s.stacksForms() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for id, dropped := range s.requests {
			delete(s.requests, id)
			dropped <- nil
		}
	}
}

func (s *Session) stacksForms() bool { return askuser.StacksForms(s.client.Load().Name) }

// takeRequest removes a request that has no answer, unless it is kept, or returns nil.
func (s *Session) takeRequest(id string, kept bool) chan<- *Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := s.requests[id]
	if !kept {
		delete(s.requests, id)
	}
	return answer
}

// outcome returns the result or the error of a response.
func (m *Message) outcome() (json.RawMessage, error) {
	if m == nil {
		return nil, errDropped
	}
	if m.Error == nil || string(m.Error) == "null" {
		return m.Result, nil
	}
	var details mcp.JSONRPCErrorDetails
	err := json.Unmarshal(m.Error, &details)
	if err != nil {
		return nil, fmt.Errorf("the client answered with a malformed error: %w", err)
	}
	return nil, fmt.Errorf("the client answered with error %d: %s", details.Code, details.Message)
}
