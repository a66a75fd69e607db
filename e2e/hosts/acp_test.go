//go:build hosts && unix

package hosts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/acp-go-sdk"

	"mcp-askuser/internal/waittest"
)

// editor is an editor that runs an agent over the Agent Client Protocol. The methods of
// acp.Client that it does not have are never called.
type editor struct {
	acp.Client
	t           *testing.T
	forms       chan form
	permissions chan permission
	stop        func() // stops the agent's turn
}

// form is a form that the agent has opened in the editor.
type form struct {
	acp.UnstableCreateElicitationForm
	reply  chan acp.UnstableCreateElicitationResponse
	closed <-chan struct{} // when the agent takes it back
}

// permission is a request to use a tool.
type permission struct {
	acp.RequestPermissionRequest
	reply  chan acp.PermissionOptionKind
	closed <-chan struct{}
}

func (e *editor) UnstableCreateElicitation(ctx context.Context, r acp.UnstableCreateElicitationRequest) (acp.UnstableCreateElicitationResponse, error) {
	f := form{*r.Form, make(chan acp.UnstableCreateElicitationResponse, 1), ctx.Done()}
	e.forms <- f
	select {
	case out := <-f.reply:
		return out, nil
	case <-ctx.Done():
		return acp.UnstableCreateElicitationResponse{}, ctx.Err()
	}
}

func (e *editor) RequestPermission(ctx context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	p := permission{r, make(chan acp.PermissionOptionKind, 1), ctx.Done()}
	e.permissions <- p
	select {
	case kind := <-p.reply:
		i := slices.IndexFunc(r.Options, func(o acp.PermissionOption) bool { return o.Kind == kind })
		if i < 0 {
			return acp.RequestPermissionResponse{}, fmt.Errorf("no %s among %v", kind, r.Options)
		}
		return acp.RequestPermissionResponse{Outcome: acp.RequestPermissionOutcome{Selected: &acp.RequestPermissionOutcomeSelected{OptionId: r.Options[i].OptionId}}}, nil
	case <-ctx.Done():
		return acp.RequestPermissionResponse{}, ctx.Err()
	}
}

func (e *editor) SessionUpdate(context.Context, acp.SessionNotification) error { return nil }

// edit starts an agent under an editor that has forms, or has none, and that hands it these
// servers, and begins a turn.
func edit(t *testing.T, agent, env []string, forms bool, servers ...acp.McpServer) *editor {
	t.Helper()
	e := &editor{t: t, forms: make(chan form, 10), permissions: make(chan permission, 10)}
	dir := t.TempDir()
	in, out := pipe(t, dir, env, agent[0], agent[1:]...)
	conn := acp.NewClientSideConnection(e, in, out)
	var can acp.ClientCapabilities
	if forms {
		can.Elicitation = &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}}
	}
	if _, err := conn.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber, ClientCapabilities: can}); err != nil {
		t.Fatal(err)
	}
	session, err := conn.NewSession(t.Context(), acp.NewSessionRequest{Cwd: dir, McpServers: append([]acp.McpServer{}, servers...)})
	if err != nil {
		t.Fatal(err)
	}
	e.stop = func() {
		if err := conn.Cancel(t.Context(), acp.CancelNotification{SessionId: session.SessionId}); err != nil {
			t.Error(err)
		}
	}
	go func() {
		_, _ = conn.Prompt(t.Context(), acp.PromptRequest{SessionId: session.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("go")}})
	}()
	return e
}

// claudeACP is Claude Code as an agent of an editor.
func claudeACP(t *testing.T) []string { return []string{"node", bin(t, "claude-agent-acp")} }

// within waits for what the editor shows.
func within[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case x := <-from:
		data, _ := json.Marshal(x)
		t.Logf("%s", data)
		return x
	case <-time.After(30 * time.Second):
		t.Fatal("the editor shows nothing")
		panic("unreachable")
	}
}

func accept(field, value string) acp.UnstableCreateElicitationResponse {
	return acp.UnstableCreateElicitationResponse{Accept: &acp.UnstableCreateElicitationAccept{Action: "accept", Content: map[string]any{field: value}}}
}

// TestEditor has a question reach the user of an editor, in which Claude Code runs over
// ACP: ours and its own as forms of the editor, answered there, or here meanwhile.
func TestEditor(t *testing.T) {
	pause := func() { waittest.Pass(t.Context(), time.Second) } // what comes sooner counts as the editor's own
	ask := func(t *testing.T, forms bool, call toolCall, servers ...acp.McpServer) (*model, []string, *editor) {
		m := newModel(t)
		_, env := claudeEnv(t, m, "", "--questions")
		e := edit(t, claudeACP(t), env, forms, servers...)
		m.calls <- call
		return m, env, e
	}
	given := func(t *testing.T, m *model, want string) {
		t.Helper()
		if got := m.given(t); !strings.Contains(got, want) {
			t.Errorf("given %s", got)
		}
	}
	isClosed := func(t *testing.T, closed <-chan struct{}) {
		t.Helper()
		begin := time.Now()
		select {
		case <-closed:
			t.Log("closed after", time.Since(begin))
		case <-time.After(10 * time.Second):
			t.Error("the form stays open")
		}
	}
	elsewhere := func(t *testing.T, env []string, closed <-chan struct{}) {
		t.Helper()
		answerHere(t, env)
		isClosed(t, closed)
	}
	t.Run("our form", func(t *testing.T) {
		m, _, e := ask(t, true, ours)
		f := within(t, e.forms)
		q1, _ := f.RequestedSchema.Properties["q1"].(map[string]any)
		if options, _ := q1["oneOf"].([]any); f.Message != "Which database?" || len(options) != 3 {
			t.Errorf("%q with %v", f.Message, q1)
		}
		pause()
		f.reply <- accept("q1", "Other...")
		f = within(t, e.forms)
		pause()
		f.reply <- accept("q1_other", "DuckDB")
		given(t, m, `"answers":{"Which database?":"DuckDB"}`)
		if len(e.permissions) > 0 {
			t.Error("the editor asked whether the agent may ask")
		}
	})
	t.Run("our form, here", func(t *testing.T) {
		m, env, e := ask(t, true, ours)
		elsewhere(t, env, within(t, e.forms).closed)
		given(t, m, oursAnswered)
	})
	t.Run("our form, declined", func(t *testing.T) {
		m, _, e := ask(t, true, ours)
		f := within(t, e.forms)
		waittest.Pass(t.Context(), 1500*time.Millisecond)
		f.reply <- acp.NewUnstableCreateElicitationResponseDecline()
		given(t, m, `"status":"dismissed"`)
	})
	for name, call := range map[string]toolCall{"our form, the turn stopped": ours, "its own question, the turn stopped": own} {
		t.Run(name, func(t *testing.T) {
			_, env, e := ask(t, true, call)
			f := within(t, e.forms)
			onDesk(t, env, "Which database?")
			e.stop()
			isClosed(t, f.closed)
			if !waittest.Until(10*time.Second, func() bool {
				return strings.Contains(run(t, "", env, program(t), "pending"), "Nothing waits")
			}) {
				t.Error("the question still waits")
			}
			t.Log(run(t, "", env, program(t), "history"))
		})
	}
	t.Run("no forms", func(t *testing.T) {
		m, _, _ := ask(t, false, ours)
		given(t, m, "There is no way to show the question to the user here")
	})
	server := acp.McpServer{Stdio: &acp.McpServerStdio{Name: "askuser", Command: program(t), Args: []string{}, Env: []acp.EnvVariable{}}} // as install zed has it
	t.Run("our form, of both servers", func(t *testing.T) {
		m, _, e := ask(t, true, ours, server)
		f := within(t, e.forms)
		pause()
		f.reply <- accept("q1", "MongoDB")
		given(t, m, oursAnswered)
		if len(e.permissions) > 0 {
			t.Error("the editor asked whether the agent may ask")
		}
	})
	t.Run("our form, of the editor's server", func(t *testing.T) {
		m := newModel(t)
		_, env := claudeEnv(t, m, "")
		run(t, "", env, program(t), "uninstall", "claude-code")
		e := edit(t, claudeACP(t), env, true, server)
		m.calls <- ours
		within(t, e.permissions).reply <- acp.PermissionOptionKindAllowOnce
		f := within(t, e.forms)
		pause()
		f.reply <- accept("q1", "MongoDB")
		given(t, m, oursAnswered)
	})
	t.Run("its own question", func(t *testing.T) {
		m, env, e := ask(t, true, own)
		f := within(t, e.forms)
		onDesk(t, env, "Which database?")
		f.reply <- accept("question_0", "MongoDB")
		given(t, m, ownAnswered)
		if !waittest.Until(10*time.Second, func() bool {
			return strings.Contains(run(t, "", env, program(t), "history"), "in Claude Code")
		}) {
			t.Error("the answer is not in the history")
		}
	})
	t.Run("its own question, here", func(t *testing.T) {
		m, env, e := ask(t, true, own)
		elsewhere(t, env, within(t, e.forms).closed)
		given(t, m, ownAnswered)
	})
}
