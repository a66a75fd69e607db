//go:build hosts && unix

package hosts

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
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

func newModel(t *testing.T) *model {
	m := &model{calls: make(chan toolCall), results: make(chan string, 100)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", m.responses)
	mux.HandleFunc("POST /v1/messages", m.messages)
	mux.HandleFunc("POST /v1/chat/completions", m.completions)
	mux.HandleFunc("POST /v1beta/models/", m.gemini)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	m.Server = httptest.NewServer(mux)
	t.Cleanup(m.CloseClientConnections)
	return m
}

// next waits for the next call that the test wants, once the host has brought
// the result of the last. A host that asks again without it has dropped our
// response, as its user said something meanwhile: the call is made again.
func (m *model) next(r *http.Request, body any) (call toolCall, id string, ok bool) {
	m.asked.Store(true)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open != nil {
		text, found := broughtBy(body, m.last)
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
func (m *model) number() string {
	m.n++
	m.last = fmt.Sprintf("call_%d", m.n)
	return m.last
}

// read decodes a request, to its end: only then is a host noticed that goes away.
func read(w http.ResponseWriter, r *http.Request) (body any, ok bool) {
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, &body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return body, err == nil
}

// broughtBy returns what a call has returned, from a request of any API: an object with its id holds it.
func broughtBy(body any, id string) (result string, found bool) {
	children, _ := body.([]any)
	if object, ok := body.(map[string]any); ok {
		for _, key := range []string{"call_id", "tool_use_id", "tool_call_id", "id"} {
			of, _ := object[key].(string)
			for _, key := range []string{"output", "content", "response"} {
				if result, ok := object[key]; ok && strings.HasSuffix(of, id) {
					return text(result), true
				}
			}
		}
		children = slices.Collect(maps.Values(object))
	}
	for _, child := range children {
		result, found = broughtBy(child, id)
		if found {
			break
		}
	}
	return result, found
}

type tool struct{ kind, name string }

// toolsOf returns the tools that a request of any API offers.
func toolsOf(body any) (all []tool) {
	list, _ := body.([]any)
	if object, ok := body.(map[string]any); ok {
		kind, _ := object["type"].(string)
		name, _ := object["name"].(string)
		all = append(all, tool{kind, name})
		list = []any{object["tools"], object["function"], object["functionDeclarations"]}
	}
	for _, x := range list {
		all = append(all, toolsOf(x)...)
	}
	return all
}

// ourName returns the host's name of ask_user_question.
func ourName(body any) (name string, found bool) {
	tools := toolsOf(body)
	i := slices.IndexFunc(tools, func(t tool) bool { return strings.Contains(t.name, "ask_user_question") })
	if i < 0 {
		return "", false
	}
	return tools[i].name, true
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

// given is what a call has returned.
func (m *model) given(t *testing.T) string {
	t.Helper()
	select {
	case text := <-m.results:
		t.Log(text)
		return text
	case <-time.After(time.Minute):
		t.Fatal("the call does not return")
		return ""
	}
}
