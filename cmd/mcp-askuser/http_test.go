//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// served is a running server.
type served struct {
	t       *testing.T
	cmd     *exec.Cmd
	address *url.URL // that it prints
	stderr  bytes.Buffer
}

func serve(t *testing.T, cmd *exec.Cmd) *served {
	t.Helper()
	s := &served{t: t, cmd: cmd}
	cmd.Stderr = &s.stderr
	out, err := cmd.StdoutPipe()
	fatal.If(t, err)
	fatal.If(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Wait()
		t.Fatalf("%v; %s", err, &s.stderr)
	}
	s.address, err = url.Parse(strings.TrimSpace(line))
	fatal.If(t, err)
	return s
}

// end ends the server and returns how.
func (s *served) end(how syscall.Signal) error {
	_ = s.cmd.Process.Signal(how)
	err := s.cmd.Wait()
	if strings.Contains(s.stderr.String(), "DATA RACE") {
		s.t.Error(s.stderr.String())
	}
	return err
}

// newToken makes a token with the command that does.
func newToken(t *testing.T, dir, name string, flags ...string) string {
	t.Helper()
	out, err := program(t, dir, append([]string{"token", "add", name}, flags...)...).Output()
	fatal.If(t, err)
	return strings.TrimSpace(string(out))
}

const (
	askWhich     = `{"question":"Which?","options":["A","B"]}`
	confirmWhich = `{"action":"Delete it?"}`
)

// overHTTP connects an agent as an MCP client does.
func overHTTP(t *testing.T, s *served, token string, options ...client.ClientOption) *client.Client {
	t.Helper()
	headers := transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token})
	over, err := transport.NewStreamableHTTP(s.address.String(), headers)
	fatal.If(t, err)
	c := client.NewClient(over, append(options, client.WithProtocolVersion(mcp.ProtocolVersion20260728))...)
	fatal.If(t, c.Start(t.Context()))
	t.Cleanup(func() { _ = c.Close() })
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.ProtocolVersion20260728
	hello.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	_, err = c.Initialize(t.Context(), hello)
	fatal.If(t, err)
	return c
}

// begun is a call under way: its structured result, or nothing where the server has died.
func begun(t *testing.T, c *client.Client, tool, args string) <-chan map[string]any {
	t.Helper()
	result := make(chan map[string]any, 1)
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, json.RawMessage(args)
	go func() {
		defer close(result)
		r, err := c.CallTool(t.Context(), req)
		if err != nil {
			return
		}
		structured, _ := r.StructuredContent.(map[string]any)
		result <- structured
	}()
	return result
}

// After the server was killed each agent gets what its user has answered meanwhile: a question to
// the same question, a yes to its ticket alone. Another agent gets neither.
func TestAgentsOverHTTP(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := desktest.Open(t, dir)
	args := []string{"serve", "--http", "127.0.0.1:0", "--surface", "inbox"}
	s := serve(t, program(t, dir, args...))
	tokenA, tokenB := newToken(t, dir, "a"), newToken(t, dir, "b")
	begun(t, overHTTP(t, s, tokenA), "ask_user_question", askWhich)
	asked := openRecord(t, d)
	begun(t, overHTTP(t, s, tokenB), "confirm_action", confirmWhich)
	both, err := openRecords(d, 2)
	fatal.If(t, err)
	confirmed := both[1]
	if asked.Asker.Client != "test" || asked.Asker.Agent != "a" || asked.Asker.PID != 0 {
		t.Errorf("asked by %+v", asked.Asker)
	}
	_ = s.end(syscall.SIGKILL)
	reply(t, d, asked.ID, choose("b"))
	reply(t, d, confirmed.ID, choose(question.YesID))

	s = serve(t, program(t, dir, args...))
	a, b := overHTTP(t, s, tokenA), overHTTP(t, s, tokenB)
	other := begun(t, b, "ask_user_question", askWhich) // waits: it is b's own
	openRecord(t, d)
	ticketA, ticketB := `{"id":"`+asked.ID+`"}`, `{"id":"`+confirmed.ID+`"}`
	for _, tc := range []struct {
		what       string
		agent      *client.Client
		tool, args string
		want       any
	}{
		{"another's ticket", b, "await_answer", ticketA, "failed"},
		{"another's yes", a, "await_answer", ticketB, "failed"},
		{"asked again", a, "ask_user_question", askWhich, "answered"},
		{"its ticket", b, "await_answer", ticketB, "answered"},
	} {
		if got := <-begun(t, tc.agent, tc.tool, tc.args); got["status"] != tc.want {
			t.Errorf("%s brings %v", tc.what, got)
		}
	}
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Errorf("%v: %s", err, s.stderr.String())
	}
	if got := <-other; got["status"] != "pending" {
		t.Errorf("at its end the server says %v", got)
	}
}
