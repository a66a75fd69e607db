//go:build hosts && unix

package hosts

import (
	"context"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/acp-go-sdk"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

// editor is an editor that runs an agent over the Agent Client Protocol. The methods of
// acp.Client that it does not have are never called.
type editor struct {
	acp.Client
	forms chan form
}

// form is a form that the agent has opened in the editor.
type form struct {
	acp.UnstableCreateElicitationForm
	reply chan acp.UnstableCreateElicitationResponse
}

func (e *editor) UnstableCreateElicitation(ctx context.Context, r acp.UnstableCreateElicitationRequest) (
	acp.UnstableCreateElicitationResponse, error,
) {
	f := form{*r.Form, make(chan acp.UnstableCreateElicitationResponse, 1)}
	e.forms <- f
	select {
	case out := <-f.reply:
		return out, nil
	case <-ctx.Done():
		return acp.UnstableCreateElicitationResponse{}, ctx.Err()
	}
}

func (e *editor) SessionUpdate(context.Context, acp.SessionNotification) error { return nil }

// edit starts an agent under an editor that has forms, or has none, and begins a turn.
func edit(t *testing.T, agent, env []string, forms bool) *editor {
	t.Helper()
	e := &editor{forms: make(chan form, 10)}
	cmd := exec.Command(agent[0], agent[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = t.TempDir(), env, &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	fatal.If(t, err)
	out, err := cmd.StdoutPipe()
	fatal.If(t, err)
	background(t, cmd)
	conn := acp.NewClientSideConnection(e, in, out)
	var can acp.ClientCapabilities
	if forms {
		can.Elicitation = &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}}
	}
	hello := acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber, ClientCapabilities: can}
	if _, err := conn.Initialize(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	session, err := conn.NewSession(t.Context(), acp.NewSessionRequest{Cwd: cmd.Dir, McpServers: []acp.McpServer{}})
	fatal.If(t, err)
	go func() {
		prompt := acp.PromptRequest{SessionId: session.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("go")}}
		_, _ = conn.Prompt(t.Context(), prompt)
	}()
	return e
}

// answers answers the form that the editor shows.
func (e *editor) answers(t *testing.T, c cell, begin time.Time) {
	t.Helper()
	var f form
	select {
	case f = <-e.forms:
	case <-time.After(30 * time.Second):
		t.Fatal("the editor shows nothing")
	}
	t.Log("shown after", time.Since(begin))
	if !strings.Contains(f.Message, c.shows) {
		t.Errorf("the form shows %q", f.Message)
	}
	waittest.Pass(t.Context(), 1500*time.Millisecond) // what comes sooner counts as the host's own
	accepted := &acp.UnstableCreateElicitationAccept{Action: "accept", Content: map[string]any{"q1": c.keys}}
	f.reply <- acp.UnstableCreateElicitationResponse{Accept: accepted}
}
