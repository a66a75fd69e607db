package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
	"go.uber.org/goleak"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/tools/askuser"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is a session and the context of its connection.
type peer struct {
	*Session
	t   *testing.T
	ctx context.Context
	end context.CancelCauseFunc
	log *waittest.Buffer
}

func newSession(t *testing.T, tools map[string]mcpserver.ToolHandlerFunc) *peer {
	s := mcpserver.NewMCPServer("test", "1", mcpserver.WithToolCapabilities(true))
	for name, handler := range tools {
		s.AddTool(mcp.NewTool(name), handler)
	}
	p := &peer{t: t, log: new(waittest.Buffer)}
	p.Session = NewSession(s, Options{ID: "session", Dialogue: "session", Directory: "/project", Log: slog.New(slog.NewTextHandler(p.log, nil))})
	p.ctx, p.end = context.WithCancelCause(t.Context())
	t.Cleanup(func() {
		p.end(askuser.ErrDisconnected)
		p.drain()
	})
	return p
}

// receive takes a message as a transport does.
func (p *peer) receive(text string, out Sink) {
	p.t.Helper()
	m, fault := Decode([]byte(text))
	if fault != nil {
		p.t.Fatalf("%s: %s", text, fault.Text)
	}
	p.Receive(p.ctx, m, out)
}

// drain waits until every handler has returned.
func (p *peer) drain() {
	p.t.Helper()
	waittest.Take(p.t, p.Drain())
}

// callOf is the call of a handler's context.
func callOf(ctx context.Context) *Call {
	return mcpserver.ClientSessionFromContext(ctx).(*Call)
}

func call(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
}

func cancel(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"user-cancel"}}`
}

const (
	modern     = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"new","version":"2"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`
	initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"old","version":"1"},"capabilities":{"elicitation":{}}}}`
)

// box is a sink that writes at once.
type box struct {
	mu     sync.Mutex
	fails  error // of writing
	closed bool
	lines  []string
	last   chan struct{} // one for each message that ends its request
}

func newBox() *box { return &box{last: make(chan struct{}, 1<<16)} }

func (b *box) Send(m Outgoing) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return askuser.ErrDisconnected
	}
	_ = m.Write(b.write)
	if m.Last {
		b.last <- struct{}{}
	}
	return nil
}

func (b *box) write(line []byte) error {
	if b.fails == nil {
		b.lines = append(b.lines, strings.TrimSuffix(string(line), "\n"))
	}
	return b.fails
}

// written is every line so far.
func (b *box) written() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines
}

// until waits for what no channel tells.
func until(t *testing.T, is func() bool) {
	if !waittest.Until(waittest.Patience, is) {
		t.Error("it never came to be")
	}
}

// FuzzDecode: every message is either refused or can be taken; a request is
// handed on with the same id, whatever a client writes.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"askuser-1","result":{}}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"x","arguments":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a","reason":"b"}}`,
		`[]`, `{"id":{}}`, `{"jsonrpc":"2.0","method":"x","params":null}`, `{"ID":1,"id":"2","jsonrpc":"2.0","METHOD":"x"}`,
		"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, wrong := Decode(text)
		if line := (Fault{}).Response(m.ID); !utf8.Valid(line) {
			t.Fatalf("a response like %q", line)
		}
		if wrong != nil {
			if line := wrong.Response(m.ID); !json.Valid(line) {
				t.Fatalf("refusal %q", line)
			}
			return
		}
		if m.isResponse() {
			_, _ = m.outcome()
			return
		}
		if !m.IsRequest() {
			return
		}
		handed, err := m.forMCP()
		fatal.If(t, err)
		var got struct {
			ID     *string
			Method string
		}
		if err := json.Unmarshal(handed, &got); err != nil {
			t.Fatalf("%q: %v", handed, err)
		}
		if got.Method != m.Method || got.ID == nil {
			t.Fatalf("%q became %q", text, handed)
		}
		if *got.ID != string(m.ID) {
			t.Fatalf("the id %q became %q", m.ID, *got.ID)
		}
	})
}
