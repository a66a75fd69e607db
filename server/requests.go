package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-askuser/tools/askuser"
)

// RPCError is the error with which the client answered a request of ours.
type RPCError struct {
	Code    int // of JSON-RPC
	Message string
}

func (e *RPCError) Error() string {
	return fmt.Sprintf("the client answered with error %d: %s", e.Code, e.Message)
}

// Is makes mcp.ErrMethodNotFound match, so that packages that must not know
// this one can tell a client that lacks a feature from one that failed.
func (e *RPCError) Is(target error) bool {
	return target == mcp.ErrMethodNotFound && e.Code == mcp.METHOD_NOT_FOUND
}

// requests keeps our own requests that the client has not answered yet.
type requests struct {
	writer       *writer
	disconnected <-chan struct{}

	mu      sync.Mutex
	last    uint64
	waiting map[string]chan message // by raw id; capacity 1
}

func newRequests(writer *writer, disconnected <-chan struct{}) *requests {
	return &requests{writer: writer, disconnected: disconnected, waiting: make(map[string]chan message)}
}

// do asks the client and waits for its result. When ctx ends first the request
// is cancelled at the client, so that it takes its form away, and ctx's
// cause is returned. An error response is an *RPCError.
func (r *requests) do(ctx context.Context, method string, params any) (json.RawMessage, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	id, answered := r.expect()
	data, err := encodeRequest(id, method, params)
	if err == nil {
		err = r.writer.send(line{data: data})
	}
	if err != nil {
		r.forget(id)
		return nil, err
	}

	select {
	case m := <-answered:
		return m.outcome()
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-r.disconnected:
		err = askuser.ErrDisconnected
	}
	if !r.forget(id) {
		// The answer was faster after all, and an answer is never lost.
		return (<-answered).outcome()
	}
	r.withdraw(id, err.Error())
	return nil, err
}

// expect makes a new id, and the channel on which its answer will come.
func (r *requests) expect() (json.RawMessage, <-chan message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	id := strconv.Quote("askuser-" + strconv.FormatUint(r.last, 10))
	answered := make(chan message, 1)
	r.waiting[id] = answered
	return json.RawMessage(id), answered
}

// forget gives up waiting and reports whether there was still no answer.
func (r *requests) forget(id json.RawMessage) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, waiting := r.waiting[string(id)]
	delete(r.waiting, string(id))
	return waiting
}

// deliver takes an answer of the client. One that nobody waits for, because
// it comes late or twice, is ignored.
func (r *requests) deliver(m message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if answered, ok := r.waiting[string(m.ID)]; ok {
		delete(r.waiting, string(m.ID))
		answered <- m
	}
}

// withdraw tells the client that its answer is not wanted any more.
func (r *requests) withdraw(id json.RawMessage, reason string) {
	data, err := encodeNotification(string(mcp.MethodNotificationCancelled), struct {
		RequestID json.RawMessage `json:"requestId"`
		Reason    string          `json:"reason"`
	}{id, reason})
	if err != nil {
		return // cannot happen: two strings
	}
	// After the end of the connection there is nobody to tell.
	_ = r.writer.send(line{data: data})
}

// outcome is the result or the error that a response holds.
func (m message) outcome() (json.RawMessage, error) {
	if m.Error == nil || string(m.Error) == "null" {
		return m.Result, nil
	}
	var details mcp.JSONRPCErrorDetails
	if err := json.Unmarshal(m.Error, &details); err != nil {
		return nil, fmt.Errorf("the client answered with a malformed error: %w", err)
	}
	return nil, &RPCError{Code: details.Code, Message: details.Message}
}
