//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// httpServer is a running serve --http.
type httpServer struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string
	stderr bytes.Buffer
}

func serveHTTP(t *testing.T, dir string, args ...string) *httpServer {
	t.Helper()
	s := &httpServer{t: t, cmd: program(t, dir, append([]string{"serve", "--http", "127.0.0.1:0", "--surface", "inbox"},
		args...)...)}
	s.url = listening(t, s.cmd, &s.stderr)
	return s
}

// listening starts a server and returns the address that it prints.
func listening(t *testing.T, cmd *exec.Cmd, stderr *bytes.Buffer) string {
	t.Helper()
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	fatal.If(t, err)
	fatal.If(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Wait()
		t.Fatalf("%v; %s", err, stderr.String())
	}
	return strings.TrimSpace(line)
}

// end ends the server and returns how.
func (s *httpServer) end(how syscall.Signal) error {
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
func overHTTP(t *testing.T, e era, url, token string) *client.Client {
	t.Helper()
	headers := transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token})
	over, err := transport.NewStreamableHTTP(url, headers)
	fatal.If(t, err)
	return initialized(t, client.NewClient(over, e.options...), e)
}

// begun is a call under way: its result, or nothing where the server has died.
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

// answerTo returns an answer in a structured result.
func answerTo(result map[string]any, text string) any {
	answers, _ := result["answers"].(map[string]any)
	return answers[text]
}

// pendingOf waits for the one open question of an agent.
func pendingOf(t *testing.T, d *desk.Desk, agent string) (found desk.Record) {
	t.Helper()
	if !waittest.Until(patience, func() bool {
		pending, _ := d.Pending(t.Context())
		i := slices.IndexFunc(pending, func(rec desk.Record) bool { return rec.Asker.Agent == agent })
		if i >= 0 {
			found = pending[i]
		}
		return i >= 0
	}) {
		t.Fatalf("%s has asked nothing", agent)
	}
	return found
}

// What one agent asks is its own: another that asks the same is asked for by itself, and cannot
// collect with the ticket, also after the server was killed. A yes is delivered only with its
// ticket.
func TestAgentsOverHTTP(t *testing.T) {
	for _, e := range eras {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := openDesk(t, dir)
			s := serveHTTP(t, dir)
			tokenA, tokenB := newToken(t, dir, "a"), newToken(t, dir, "b")
			a, b := overHTTP(t, e, s.url, tokenA), overHTTP(t, e, s.url, tokenB)
			begun(t, a, "ask_user_question", askWhich)
			begun(t, b, "confirm_action", confirmWhich)
			asked, confirmed := pendingOf(t, d, "a"), pendingOf(t, d, "b")
			if asked.Asker.Client != "test" || asked.Asker.PID != 0 {
				t.Errorf("asked by %+v", asked.Asker)
			}
			_ = s.end(syscall.SIGKILL)
			say(t, d, asked.ID, "b")
			say(t, d, confirmed.ID, question.YesID)

			s = serveHTTP(t, dir)
			a, b = overHTTP(t, e, s.url, tokenA), overHTTP(t, e, s.url, tokenB)
			other := begun(t, b, "ask_user_question", askWhich) // waits: it is b's own
			pendingOf(t, d, "b")
			ticketA, ticketB := `{"id":"`+asked.ID+`"}`, `{"id":"`+confirmed.ID+`"}`
			if text, _, failed := call(t, b, "await_answer", ticketA); !failed {
				t.Errorf("another's ticket: %s", text)
			}
			if _, got, failed := call(t, a, "await_answer", ticketB); !failed {
				t.Errorf("another's yes: %v", got)
			}
			if _, got, _ := call(t, a, "ask_user_question", askWhich); answerTo(got, "Which?") != "B" {
				t.Errorf("asked again: %v", got)
			}
			if _, got, _ := call(t, b, "await_answer", ticketB); got["status"] != "answered" {
				t.Errorf("its ticket brings %v", got)
			}
			if err := s.end(syscall.SIGTERM); err != nil {
				t.Errorf("%v: %s", err, s.stderr.String())
			}
			if got := <-other; got["status"] != "pending" {
				t.Errorf("at its end the server says %v", got)
			}
		})
	}
}

// An answer to a confirmation of an agent whose token needs proof is taken only with one.
func TestTokenThatNeedsProof(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serveHTTP(t, dir)
	d := openDesk(t, dir)
	for agent, flags := range map[string][]string{"strict": {"--prove"}, "plain": nil} {
		begun(t, overHTTP(t, eras[0], s.url, newToken(t, dir, agent, flags...)), "confirm_action", confirmWhich)
		rec := pendingOf(t, d, agent)
		if rec.Prove != (agent == "strict") {
			t.Errorf("the question of %s needs proof: %t", agent, rec.Prove)
		}
		_, err := d.Reply(t.Context(), rec.ID, choose(question.YesID), onPage)
		if errors.Is(err, desk.ErrProofRequired) != rec.Prove {
			t.Errorf("the answer to %s: %v", agent, err)
		}
	}
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}
