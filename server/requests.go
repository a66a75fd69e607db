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

// ourID begins the ids of requests to the client.
const ourID = "askuser-"

// begin sends a request to the client, which belongs to the call, and returns its raw id and what gets
// the answer.
func (c *Call) begin(ctx context.Context, method string, params any) (id string, answer chan *Message, err error) {
	if ctx.Err() != nil {
		return "", nil, context.Cause(ctx)
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.ctx.Err() != nil {
		return "", nil, c.endError()
	}
	s.requested++
	id = strconv.Quote(ourID + strconv.Itoa(s.requested))
	err = send(c.out, Outgoing{}, frame{ID: json.RawMessage(id), Method: method, Params: params})
	if err == nil {
		answer = make(chan *Message, 1)
		s.requests[id] = answer
		c.requests.Add(1)
	}
	return id, answer, err
}

// errDropped means that a client that stacks forms has lost this one, see [Session.deliver].
var errDropped = errors.New("the client has dropped the request")

// request sends a request to the client, calls sent, and waits for the result. If ctx or the
// call ends first, it cancels the request at the client, which then closes its form, before the
// response to the call; the error is ctx's cause, or wraps ui.ErrCallEnded and the call's.
func (c *Call) request(ctx context.Context, method string, params any, sent func()) (json.RawMessage, error) {
	id, answer, err := c.begin(ctx, method, params)
	if err != nil {
		return nil, err
	}
	defer c.requests.Done()
	sent()
	select {
	case m := <-answer:
		return m.outcome()
	case <-ctx.Done():
	case <-c.ctx.Done():
	}
	stacks := c.session.stacksForms()
	if c.session.takeRequest(id, stacks) == nil { // the answer arrived before
		return (<-answer).outcome()
	}
	err = context.Cause(ctx)
	if !stacks { // it would still show the form, and not say when its user closes it
		reason := cmp.Or(err, context.Cause(c.ctx)).Error()
		withdrawal := map[string]any{"requestId": json.RawMessage(id), "reason": reason}
		// This fails only after the end of the connection.
		_ = send(c.out, Outgoing{}, frame{Method: string(mcp.MethodNotificationCancelled), Params: withdrawal})
	}
	if err == nil {
		err = c.endError()
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
