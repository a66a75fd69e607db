package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// exitTime is the longest time between a client's cancel of its forms, because it exits, and
// the end of the connection (Copilot CLI: up to 0.3 s). A form that was shown for less was
// cancelled by the client alone, for another reason.
const exitTime = 500 * time.Millisecond

// maxFormWait is how long a form waits for those of earlier calls, whose
// questions may be on another surface.
const maxFormWait = time.Second

// Elicit implements [askuser.Transport]. Clients show forms in the order in which
// they arrive, some one at a time: took is the time since the form was sent and
// the session's previous form was closed. A cancel of a client that exits is the end of the call.
func (c *Call) Elicit(
	ctx context.Context, form mcp.ElicitationParams,
) (_ *mcp.ElicitationResult, took time.Duration, _ error) {
	defer c.form.leave()
	within, stop := context.WithTimeout(ctx, maxFormWait)
	defer stop()
	_ = c.form.wait(within) // request checks ctx
	var sent time.Time
	raw, err := c.request(ctx, string(mcp.MethodElicitationCreate), form, func() {
		sent = time.Now()
		c.form.overtake()
	})
	if errors.Is(err, errDropped) {
		return c.Elicit(ctx, form)
	}
	if !sent.IsZero() {
		took = c.session.shown(sent)
	}
	if err != nil {
		return nil, took, err
	}
	var result mcp.ElicitationResult
	err = json.Unmarshal(raw, &result.ElicitationResponse)
	if err != nil {
		return nil, took, fmt.Errorf("malformed elicitation result: %w", err)
	}
	if result.Action == mcp.ElicitationResponseActionCancel && took > exitTime {
		select {
		case <-c.ctx.Done():
			return nil, took, c.endError()
		case <-ctx.Done():
		case <-time.After(exitTime):
		}
	}
	return &result, took, nil
}

// shown returns how long the client can have shown a form that was sent then and is now
// closed: since it closed the one before.
func (s *Session) shown(sent time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.formGone.After(sent) {
		sent = s.formGone
	}
	s.formGone = time.Now()
	return s.formGone.Sub(sent)
}
