//go:build hosts && unix

package hosts

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// model is a scripted model behind a host: it calls tools when the test says so,
// and keeps what they return. It speaks as much of OpenAI's responses API and of
// Anthropic's messages API as the hosts need.
type model struct {
	*httptest.Server
	*dialogue
	sub *dialogue // of a subagent, whose prompt has subagentPrompt
}

// dialogue is a conversation of the model with a host.
type dialogue struct {
	prefix  string // of its call ids
	calls   chan toolCall
	results chan string // what each call returned

	asked atomic.Bool // something

	mu   sync.Mutex
	open *toolCall // under way
	last string    // its id
	n    int
}

// toolCall is a call of our tool by our name of it, of a host's tool by its own, or, if
// tool is "", the end of the turn.
type toolCall struct {
	tool string
	args any
}

// subagentPrompt is a part of the prompt that a test gives to a subagent.
const subagentPrompt = "Ask as a subagent."

func newDialogue(prefix string) *dialogue {
	return &dialogue{prefix: prefix, calls: make(chan toolCall), results: make(chan string, 100)}
}

func newModel(t *testing.T) *model {
	m := &model{dialogue: newDialogue("call"), sub: newDialogue("sub")}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", m.responses)
	mux.HandleFunc("POST /v1/messages", m.messages)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	m.Server = httptest.NewServer(trace(mux))
	t.Cleanup(m.CloseClientConnections)
	return m
}

// trace writes the requests to the file that HOSTS_TRACE names.
func trace(h http.Handler) http.Handler {
	path := os.Getenv("HOSTS_TRACE")
	if path == "" {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_, _ = fmt.Fprintf(f, "%s %s\n%s\n", r.Method, r.URL, body)
			_ = f.Close()
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		h.ServeHTTP(w, r)
	})
}

// next waits for the next call that the test wants, once the host has brought
// the result of the last. A host that asks again without it has dropped our
// response, as its user said something meanwhile: the call is made again.
func (m *dialogue) next(r *http.Request, result func(id string) (string, bool)) (call toolCall, id string, ok bool) {
	m.asked.Store(true)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open != nil {
		text, found := result(m.last)
		if !found {
			return *m.open, m.number(), true
		}
		m.open = nil
		m.results <- text
	}
	select {
	case call = <-m.calls:
		if m.open = &call; call.tool == "" {
			m.open = nil
		}
		return call, m.number(), true
	case <-r.Context().Done():
		return call, "", false
	}
}

// number gives the call that is under way a new id.
func (m *dialogue) number() string {
	m.n++
	m.last = fmt.Sprintf("%s_%d", m.prefix, m.n)
	return m.last
}

// read decodes a request, to its end: only then is a host noticed that goes away.
func read(w http.ResponseWriter, r *http.Request, into any) bool {
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return err == nil
}

// events writes server-sent events. Each has its type in its data as well.
func events(w http.ResponseWriter, list ...map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range list {
		data, err := json.Marshal(e)
		if err != nil {
			panic(err)
		}
		_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], data)
	}
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

type tool struct{ Type, Name string }

// responses is OpenAI's API.
func (m *model) responses(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Input []struct {
			Type   string `json:"type"`
			CallID string `json:"call_id"`
			Output any    `json:"output"`
		} `json:"input"`
		Tools []tool `json:"tools"`
	}
	if !read(w, r, &body) {
		return
	}
	answer := func(item map[string]any) {
		events(w,
			map[string]any{"type": "response.created", "response": map[string]any{"id": "resp"}},
			map[string]any{"type": "response.output_item.done", "output_index": 0, "item": item},
			map[string]any{"type": "response.completed", "response": map[string]any{"id": "resp", "object": "response", "status": "completed",
				"output": []any{item}, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
	}
	ours := slices.IndexFunc(body.Tools, func(t tool) bool { return strings.Contains(t.Name, "askuser") })
	if ours < 0 { // a title, a summary: not the dialogue
		answer(map[string]any{"type": "message", "id": "msg", "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": "ok"}}})
		return
	}
	call, id, ok := m.next(r, func(id string) (string, bool) {
		for _, item := range body.Input {
			if item.CallID == id && strings.HasSuffix(item.Type, "_output") {
				return text(item.Output), true
			}
		}
		return "", false
	})
	if !ok {
		return
	}
	item := map[string]any{"type": "function_call", "id": "fc_" + id, "call_id": id, "arguments": text(call.args), "name": "mcp__askuser__" + call.tool}
	if t := body.Tools[ours]; t.Type == "namespace" {
		item["namespace"], item["name"] = t.Name, call.tool
	}
	answer(item)
}

// messages is Anthropic's API.
func (m *model) messages(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []tool `json:"tools"`
	}
	if !read(w, r, &body) {
		return
	}
	name := ""
	start := map[string]any{"type": "message_start", "message": map[string]any{"id": fmt.Sprintf("msg_%d", time.Now().UnixNano()), "type": "message", "role": "assistant",
		"model": "claude-sonnet-4-5", "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1}}}
	if slices.ContainsFunc(body.Tools, func(t tool) bool { return strings.HasPrefix(t.Name, "mcp__askuser__") }) {
		name = "mcp__askuser__"
	}
	say := func() {
		events(w, start,
			map[string]any{"type": "content_block_start", "index": 0, "content_block": map[string]any{"type": "text", "text": ""}},
			map[string]any{"type": "content_block_delta", "index": 0, "delta": map[string]any{"type": "text_delta", "text": "ok"}},
			map[string]any{"type": "content_block_stop", "index": 0},
			map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": "end_turn", "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 1}},
			map[string]any{"type": "message_stop"})
	}
	if name == "" && !slices.ContainsFunc(body.Tools, func(t tool) bool { return t.Name == "Bash" }) { // a title, a summary: not the dialogue
		say()
		return
	}
	d := m.dialogue
	if len(body.Messages) > 0 && strings.Contains(string(body.Messages[0].Content), subagentPrompt) {
		d = m.sub
	}
	call, id, ok := d.next(r, func(id string) (string, bool) {
		for _, message := range body.Messages {
			var blocks []struct {
				Type      string `json:"type"`
				ToolUseID string `json:"tool_use_id"`
				Content   any    `json:"content"`
			}
			_ = json.Unmarshal(message.Content, &blocks)
			for _, b := range blocks {
				if b.Type == "tool_result" && b.ToolUseID == "toolu_"+id {
					return text(b.Content), true
				}
			}
		}
		return "", false
	})
	if !ok {
		return
	}
	if call.tool == "" {
		say()
		return
	}
	if name = "mcp__askuser__"; call.tool != strings.ToLower(call.tool) { // the host's own
		name = ""
	}
	events(w, start,
		map[string]any{"type": "content_block_start", "index": 0, "content_block": map[string]any{"type": "tool_use", "id": "toolu_" + id, "name": name + call.tool, "input": map[string]any{}}},
		map[string]any{"type": "content_block_delta", "index": 0, "delta": map[string]any{"type": "input_json_delta", "partial_json": text(call.args)}},
		map[string]any{"type": "content_block_stop", "index": 0},
		map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": "tool_use", "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 1}},
		map[string]any{"type": "message_stop"})
}
