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

// Elicit implements [askuser.Transport]. Clients show forms in the order in which
// they come.
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
	took = time.Since(sent)
	if err != nil {
		return nil, took, err
	}
	result, err := decodeElicitation(raw)
	return result, took, err
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
