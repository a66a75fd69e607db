package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// formPatience is how long a form waits for those of the calls before it. They may
// be on another surface, or try one first.
const formPatience = time.Second

// slowestPing is the longest round trip that is believed: a client that answers no
// ping is taken to be that far away.
const slowestPing = time.Second

// Elicit implements [askuser.Transport]. Clients show forms in the order in which
// they come, some one at a time: took counts from when the form was sent and the
// session's last form was gone, less a ping's round trip to a remote client.
//
// Nothing is sent to a client that cannot answer: the error wraps
// mcpserver.ErrElicitationNotSupported where it did not declare the mode, and
// mcpserver.ErrServerInitiatedRequestUnsupported where the call is of
// 2026-07-28, whose clients never answer this request. An error response is an
// *[RPCError]. The content of an accept is nil or a map[string]any.
func (k *Call) Elicit(ctx context.Context, form mcp.ElicitationParams) (_ *mcp.ElicitationResult, took time.Duration, _ error) {
	defer k.session.forms.leave(&k.form)
	if k.client.Modern {
		return nil, 0, fmt.Errorf("elicitation: %w", mcpserver.ErrServerInitiatedRequestUnsupported)
	}
	if err := form.Validate(); err != nil {
		return nil, 0, fmt.Errorf("elicitation: %w", err)
	}
	if !k.client.Elicits(form.Mode) {
		return nil, 0, fmt.Errorf("elicitation: the client did not declare it: %w", mcpserver.ErrElicitationNotSupported)
	}
	far := k.roundTrip(ctx)
	patience, stop := context.WithTimeout(ctx, formPatience)
	defer stop()
	if k.session.forms.wait(patience, &k.form) != nil && ctx.Err() == nil {
		k.session.forms.overtake(&k.form)
		_ = k.session.forms.wait(ctx, &k.form) // do looks at ctx
	}
	var sent time.Time
	raw, err := k.session.requests.do(ctx, k, string(mcp.MethodElicitationCreate), form, func() {
		sent = time.Now()
		k.session.forms.leave(&k.form)
	})
	now := time.Now()
	if gone := k.session.formGone.Swap(&now); gone != nil && gone.After(sent) {
		sent = *gone
	}
	took = now.Sub(sent) - far
	if err != nil {
		return nil, took, err
	}
	result, err := decodeElicitation(raw)
	return result, took, err
}

// roundTrip is how long a message takes to a remote client and back; nothing to
// one on this machine. An error in response to the ping is a response.
func (k *Call) roundTrip(ctx context.Context) time.Duration {
	if !k.session.Remote {
		return 0
	}
	within, stop := context.WithTimeout(ctx, slowestPing)
	defer stop()
	sent := time.Now()
	_, _ = k.session.requests.do(within, k, string(mcp.MethodPing), nil, func() {})
	return min(time.Since(sent), slowestPing)
}

// decodeElicitation reads the client's result, which mcp-go takes unseen.
func decodeElicitation(raw json.RawMessage) (*mcp.ElicitationResult, error) {
	var answer struct {
		Action  mcp.ElicitationResponseAction `json:"action"`
		Content json.RawMessage               `json:"content"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("malformed elicitation result: %w", err)
	}
	result := &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: answer.Action}}
	switch answer.Action {
	case mcp.ElicitationResponseActionDecline, mcp.ElicitationResponseActionCancel:
		return result, nil
	case mcp.ElicitationResponseActionAccept:
	default:
		return nil, fmt.Errorf("malformed elicitation result: unknown action %q", answer.Action)
	}
	if len(answer.Content) == 0 || bytes.Equal(answer.Content, []byte("null")) {
		return result, nil
	}
	var content map[string]any
	if err := json.Unmarshal(answer.Content, &content); err != nil {
		return nil, fmt.Errorf("malformed elicitation content: %w", err)
	}
	result.Content = content
	return result, nil
}
