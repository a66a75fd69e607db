//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
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
	s := &httpServer{t: t, cmd: program(t, dir, append([]string{"serve", "--http", "127.0.0.1:0", "--surface", "inbox"}, args...)...)}
	s.url = listening(t, s.cmd, &s.stderr)
	return s
}

// listening starts a server and returns the address that it prints.
func listening(t *testing.T, cmd *exec.Cmd, stderr *bytes.Buffer) string {
	t.Helper()
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// caller is an agent that calls over HTTP, with a session or, of 2026-07-28,
// without.
type caller struct {
	t              *testing.T
	client         *http.Client
	url            string
	token, session string
	modern         bool
}

// post sends a message and returns the response; the name is that of the tool.
func (c *caller) post(ctx context.Context, method, name, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	if c.modern {
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", method)
		r.Header.Set("Mcp-Name", name)
	}
	return c.client.Do(r)
}

// hello does the handshake, where there is one.
func (c *caller) hello() error {
	if c.modern {
		return nil
	}
	c.session = ""
	r, err := c.post(context.Background(), "initialize", "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"test","version":"1"},"capabilities":{}}}`)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	_, _ = io.Copy(io.Discard, r.Body)
	if c.session = r.Header.Get("Mcp-Session-Id"); c.session == "" {
		return fmt.Errorf("status %d and no session", r.StatusCode)
	}
	return nil
}

// call calls a tool, and returns its response. Waits is called when the server
// says that it waits.
func (c *caller) call(ctx context.Context, id int, tool, args string, waits func()) (m message, err error) {
	meta := `,"_meta":{"progressToken":1}`
	if c.modern {
		meta = `,"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	r, err := c.post(ctx, "tools/call", tool, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, id, tool, args, meta))
	if err != nil {
		return m, err
	}
	defer r.Body.Close()
	if r.Header.Get("Content-Type") != "text/event-stream" {
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			return m, fmt.Errorf("status %d: %w", r.StatusCode, err)
		}
		if r.StatusCode != http.StatusOK {
			return m, fmt.Errorf("status %d: %+v", r.StatusCode, m.Error)
		}
		return m, nil
	}
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		m = message{}
		if err := json.Unmarshal([]byte(data), &m); err != nil || m.ID != nil {
			return m, err
		}
		waits()
	}
	return message{}, fmt.Errorf("the stream ended without a response: %w", cmp.Or(lines.Err(), io.ErrUnexpectedEOF))
}

// started is a call under way.
type started struct {
	message chan message
	err     chan error
}

// start begins a call, and returns when it waits.
func (c *caller) start(id int, tool, args string) *started {
	c.t.Helper()
	s := &started{make(chan message, 1), make(chan error, 1)}
	waits := make(chan struct{})
	ctx, stop := context.WithTimeout(context.WithoutCancel(c.t.Context()), lifetime)
	c.t.Cleanup(stop)
	go func() {
		m, err := c.call(ctx, id, tool, args, sync.OnceFunc(func() { close(waits) }))
		if err != nil {
			s.err <- err
			return
		}
		s.message <- m
	}()
	select {
	case <-waits:
	case m := <-s.message:
		c.t.Fatalf("the call did not wait: %+v", m)
	case err := <-s.err:
		c.t.Fatal(err)
	}
	return s
}

func (s *started) result(t *testing.T) message {
	t.Helper()
	select {
	case m := <-s.message:
		return m
	case err := <-s.err:
		t.Fatal(err)
	case <-time.After(patience):
		t.Fatal("no result")
	}
	return message{}
}

func (c *caller) must(id int, tool, args string) message {
	c.t.Helper()
	ctx, stop := context.WithTimeout(c.t.Context(), patience)
	defer stop()
	m, err := c.call(ctx, id, tool, args, func() {})
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

const (
	askWhich     = `{"question":"Which?","options":["A","B"]}`
	confirmWhich = `{"action":"Delete it?"}`
)

func newCaller(t *testing.T, s *httpServer, token string, modern bool) *caller {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := &caller{t: t, client: &http.Client{Transport: transport}, url: s.url, token: token, modern: modern}
	if err := c.hello(); err != nil {
		t.Fatal(err)
	}
	return c
}

// pendingOf returns the one open question of an agent.
func pendingOf(t *testing.T, d *desk.Desk, agent string) desk.Record {
	t.Helper()
	pending, err := d.Pending(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var found []desk.Record
	for _, rec := range pending {
		if rec.Asker.Agent == agent {
			found = append(found, rec)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s has %d questions, want 1", agent, len(found))
	}
	return found[0]
}

// What one agent asks is its own: who asks the same with another token is asked
// for by itself, and cannot come for the ticket.
func TestAgentsOverHTTP(t *testing.T) {
	for _, modern := range []bool{false, true} {
		t.Run(fmt.Sprint("modern ", modern), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := openDesk(t, dir)
			s := serveHTTP(t, dir)
			a, b := newCaller(t, s, newToken(t, dir, "a"), modern), newCaller(t, s, newToken(t, dir, "b"), modern)
			forA, forB := a.start(1, "ask_user_question", askWhich), b.start(1, "ask_user_question", askWhich)
			recA, recB := pendingOf(t, d, "a"), pendingOf(t, d, "b")
			if strings.HasPrefix(recA.SessionID, "a:") == modern || recA.Asker.Client != "test" || recA.Asker.PID != 0 {
				t.Errorf("session %q, %+v", recA.SessionID, recA.Asker)
			}
			for _, args := range []string{`{"id":"` + recA.ID + `"}`, `{"id":"01M80SEXAAAAAAAAAAAAAAAAAA"}`} {
				m := b.must(2, "await_answer", args)
				if !m.Result.IsError || !strings.Contains(m.Result.Content[0].Text, "no question has the id") {
					t.Errorf("another's ticket: %+v", m.Result)
				}
			}
			say(t, d, recA.ID, "a")
			if got := forA.result(t).Result.StructuredContent; got.Answers["Which?"] != "A" {
				t.Errorf("a got %+v", got)
			}
			m := b.must(3, "await_answer", `{"id":"`+recA.ID+`"}`)
			if !m.Result.IsError {
				t.Errorf("another's answer: %+v", m.Result)
			}
			if got := a.must(2, "await_answer", `{"id":"`+recA.ID+`"}`).Result.StructuredContent; got.Answers["Which?"] != "A" {
				t.Errorf("a's own ticket: %+v", got)
			}
			say(t, d, recB.ID, "b")
			if got := forB.result(t).Result.StructuredContent; got.Answers["Which?"] != "B" {
				t.Errorf("b got %+v", got)
			}
			if err := s.end(syscall.SIGTERM); err != nil {
				t.Errorf("%v: %s", err, s.stderr.String())
			}
		})
	}
}

// An answer to a confirmation of an agent whose token needs proof is taken only with one.
func TestTokenThatNeedsProof(t *testing.T) {
	for name, modern := range map[string]bool{"session": false, "stateless": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := serveHTTP(t, dir)
			d := openDesk(t, dir)
			for agent, flags := range map[string][]string{"strict": {"--prove"}, "plain": nil} {
				newCaller(t, s, newToken(t, dir, agent, flags...), modern).start(1, "confirm_action", confirmWhich)
				rec := pendingOf(t, d, agent)
				if rec.Prove != (agent == "strict") {
					t.Errorf("the question of %s needs proof: %t", agent, rec.Prove)
				}
				_, err := d.Reply(t.Context(), rec.ID, question.Reply{Answers: []question.Answer{{QuestionID: rec.Questions[0].ID, Selected: []string{question.YesID}}}}, desk.Evidence{Surface: "web", How: desk.HowPage})
				if errors.Is(err, desk.ErrProofRequired) != rec.Prove {
					t.Errorf("the answer to %s: %v", agent, err)
				}
			}
			if err := s.end(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
		})
	}
}

// A server that ends between question and answer, by itself or not, costs no
// agent its answer: whoever asks again or comes with its ticket has it, and
// nobody else. A yes is nobody's but who has its ticket.
func TestRestartOverHTTP(t *testing.T) {
	for _, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		for _, modern := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, modern %v", how, modern), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				d := openDesk(t, dir)
				s := serveHTTP(t, dir)
				tokenA, tokenB := newToken(t, dir, "a"), newToken(t, dir, "b")
				a, b := newCaller(t, s, tokenA, modern), newCaller(t, s, tokenB, modern)
				first := a.start(1, "ask_user_question", askWhich)
				b.start(1, "confirm_action", confirmWhich)
				asked, confirmed := pendingOf(t, d, "a"), pendingOf(t, d, "b")
				_ = s.end(how)
				if how == syscall.SIGTERM {
					if got := first.result(t).Result.StructuredContent; got.Status != "pending" || got.ID != asked.ID {
						t.Errorf("at its end the server says %+v", got)
					}
				}
				say(t, d, asked.ID, "b")
				if _, err := d.Reply(t.Context(), confirmed.ID, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"true"}}}}, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
					t.Fatal(err)
				}

				s = serveHTTP(t, dir)
				a.url, b.url = s.url, s.url
				if !modern {
					if _, err := a.call(t.Context(), 2, "ask_user_question", askWhich, func() {}); err == nil || !strings.Contains(err.Error(), "status 404") {
						t.Errorf("a session of before: %v", err)
					}
				}
				for _, c := range []*caller{a, b} {
					if err := c.hello(); err != nil {
						t.Fatal(err)
					}
				}
				other := b.start(3, "ask_user_question", askWhich) // waits: it is b's own
				if got := a.must(3, "ask_user_question", askWhich).Result.StructuredContent; got.Answers["Which?"] != "B" {
					t.Errorf("who asks again gets %+v", got)
				}
				if got := a.must(4, "await_answer", `{"id":"`+asked.ID+`"}`).Result.StructuredContent; got.Answers["Which?"] != "B" {
					t.Errorf("who comes with the ticket gets %+v", got)
				}
				if m := a.must(5, "await_answer", `{"id":"`+confirmed.ID+`"}`); !m.Result.IsError {
					t.Errorf("another's yes: %+v", m.Result)
				}
				again := b.start(4, "confirm_action", confirmWhich) // in a dialogue of its own
				if got := b.must(5, "await_answer", `{"id":"`+confirmed.ID+`"}`).Result.StructuredContent; got.Status != "answered" {
					t.Errorf("its ticket brings %+v", got)
				}
				if err := s.end(syscall.SIGTERM); err != nil {
					t.Errorf("%v: %s", err, s.stderr.String())
				}
				for _, x := range []*started{other, again} {
					if got := x.result(t).Result.StructuredContent; got.Status != "pending" {
						t.Errorf("got %+v", got)
					}
				}
			})
		}
	}
}

// A thousand clients wait, each in its own session, while others do what they
// should not. Each of the thousand gets its answer.
func TestThousandClientsOverHTTP(t *testing.T) {
	const clients, agents, cancels = 1000, 10, 10_000
	dir := t.TempDir()
	d := openDesk(t, dir)
	s := serveHTTP(t, dir, "--hold", "1h", "--max-rounds", "0")
	var tokens [agents]string
	for i := range tokens {
		tokens[i] = newToken(t, dir, fmt.Sprint("agent-", i))
	}
	ctx, stop := context.WithTimeout(t.Context(), lifetime)
	defer stop()
	bad := rabble(ctx, t, s.url, tokens[0], cancels)

	all := wait(ctx, s.url, tokens[:], clients, func(i int, m message, err error) {
		if got := m.Result.StructuredContent.Answers[fmt.Sprintf("Question %d?", i)]; err != nil || got != fmt.Sprint("answer to ", i) {
			t.Errorf("client %d got %q, %v, %+v", i, got, err, m.Error)
		}
	})
	pending, err := d.Pending(ctx)
	if err != nil || len(pending) != clients {
		t.Errorf("%d records are pending, want %d: %v", len(pending), clients, err)
	}
	for _, rec := range pending {
		var n int
		if _, err := fmt.Sscanf(rec.Questions[0].Text, "Question %d?", &n); err != nil {
			t.Fatal(err)
		}
		reply := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: fmt.Sprint("answer to ", n)}}}
		if _, err := d.Reply(ctx, rec.ID, reply, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	stop()
	bad.Wait()
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Errorf("%v: %s", err, s.stderr.String())
	}
}

// wait returns when so many clients wait for an answer, each in its own session
// and over its own connection, in both eras. Ended is told of each one's end.
func wait(ctx context.Context, url string, tokens []string, clients int, ended func(i int, m message, err error)) (all *sync.WaitGroup) {
	all = &sync.WaitGroup{}
	var waiting sync.WaitGroup
	for i := range clients {
		waiting.Add(1)
		all.Go(func() {
			waits := sync.OnceFunc(waiting.Done)
			defer waits()
			transport := &http.Transport{} // a shared one opens more than it uses, which the server ends in time
			defer transport.CloseIdleConnections()
			c := &caller{client: &http.Client{Transport: transport}, url: url, token: tokens[i%len(tokens)], modern: i%2 == 0}
			var m message
			err := c.hello()
			if err == nil {
				m, err = c.call(ctx, i, "ask_user_question", fmt.Sprintf(`{"question":"Question %d?","options":["A","B"]}`, i), waits)
			}
			ended(i, m, err)
		})
	}
	waiting.Wait()
	return all
}

// rabble is fifty clients that do what they should not, until ctx ends.
func rabble(ctx context.Context, t *testing.T, url, token string, cancels int) *sync.WaitGroup {
	host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	head := "POST /mcp HTTP/1.1\r\nHost: " + host + "\r\n"
	bearer := "Authorization: Bearer " + token + "\r\n"
	const body = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
	endless := "1000\r\n" + strings.Repeat(" ", 0x1000) + "\r\n"
	var group sync.WaitGroup
	for i := range 49 {
		group.Go(func() {
			for ctx.Err() == nil {
				conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
				if err != nil {
					return
				}
				gone := context.AfterFunc(ctx, func() { _ = conn.Close() })
				say := func(text string) { // until the server has had enough
					for err == nil {
						_, err = io.WriteString(conn, text)
						waittest.Pass(ctx, 10*time.Millisecond) // or they alone have the machine
					}
				}
				switch i % 5 {
				case 0:
					_, err = io.WriteString(conn, head)
					say("X") // a header without an end
				case 1:
					_, err = io.WriteString(conn, head+bearer+body)
					say(endless)
				case 2:
					_, err = io.WriteString(conn, head+body)
					say(endless)
				case 3:
					_, err = io.WriteString(conn, strings.Replace(head, host, "evil.example", 1)+bearer+body)
					say(endless)
				case 4:
					_, err = io.WriteString(conn, head+bearer+"Origin: http://evil.example\r\n"+body)
					say(endless)
				}
				gone()
				_ = conn.Close()
			}
		})
	}
	group.Go(func() { // cancels what others wait for
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		c := &caller{t: t, client: &http.Client{Transport: transport}, url: url, token: token}
		if err := c.hello(); err != nil {
			t.Error(err)
			return
		}
		for n := range cancels {
			r, err := c.post(ctx, "", "", fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"user-cancel"}}`, n%1000))
			if err != nil {
				if ctx.Err() == nil {
					t.Error(err)
				}
				return
			}
			_ = r.Body.Close()
			if r.StatusCode != http.StatusAccepted {
				t.Errorf("a cancel: %d", r.StatusCode)
			}
		}
	})
	return &group
}
