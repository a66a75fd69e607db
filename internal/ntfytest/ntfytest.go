// Package ntfytest is an ntfy server for tests: it behaves as the published API of
// ntfy 2.16 says, as far as we use it. It imports nothing of ours and is imported
// by tests only.
package ntfytest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server publishes as JSON and as plain text, with action buttons, and streams a
// topic as JSON from a message on; it clears by sequence id. With a token it has
// access control: nothing is open to anonymous requests.
type Server struct {
	*httptest.Server
	token string // may do everything

	mu     sync.Mutex
	grants map[string]string // tokens, and the topics that each may write to
	topics map[string][]map[string]any
	woken  chan struct{} // closed at every message
}

// New starts a server, with access control if the token is not empty.
func New(t *testing.T, token string) *Server {
	s := &Server{token: token, grants: map[string]string{}, topics: map[string][]map[string]any{},
		woken: make(chan struct{})}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// Grant lets a token, or without one everyone, write to the topics that match a pattern, such as "questions-*",
// and nothing else.
func (s *Server) Grant(token, pattern string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grants[token] = pattern
}

// right returns the status of a request that wants to read a topic or write to it.
func (s *Server) right(r *http.Request, topic string, write bool) int {
	token, shown := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	pattern, known := s.grants[token]
	s.mu.Unlock()
	matches, _ := path.Match(pattern, topic)
	switch {
	case s.token == "", token == s.token, known && write && matches:
		return http.StatusOK
	case shown && !known:
		return http.StatusUnauthorized
	}
	return http.StatusForbidden
}

func (s *Server) add(topic string, m map[string]any) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	m["id"], m["time"], m["topic"] = fmt.Sprintf("m%d", len(s.topics[topic])), time.Now().Unix(), topic
	if m["event"] == nil {
		m["event"] = "message"
	}
	s.topics[topic] = append(s.topics[topic], m)
	close(s.woken)
	s.woken = make(chan struct{})
	return m
}

// after returns a topic's messages behind the first n, and what tells of more.
func (s *Server) after(topic string, n int) ([]map[string]any, chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.topics[topic]
	if topic == "" {
		all = slices.Concat(slices.Collect(maps.Values(s.topics))...)
	}
	return append([]map[string]any{}, all[min(n, len(all)):]...), s.woken
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	topic, reads := parts[0], len(parts) == 2 && (parts[1] == "json" || parts[1] == "auth")
	body, _ := io.ReadAll(r.Body)
	var published map[string]any
	if topic == "" && r.Method == http.MethodPost {
		if err := json.Unmarshal(body, &published); err != nil || published["topic"] == nil {
			http.Error(w, `{"code":40024,"http":400,"error":"invalid request: request body must be valid JSON"}`,
				http.StatusBadRequest)
			return
		}
		topic = published["topic"].(string)
	}
	if status := s.right(r, topic, !reads); status != http.StatusOK {
		http.Error(w, fmt.Sprintf(`{"code":%d01,"http":%d,"error":%q}`, status, status,
			strings.ToLower(http.StatusText(status))), status)
		return
	}
	reply := func(m map[string]any) { _ = json.NewEncoder(w).Encode(m) }
	switch {
	case published != nil:
		if actions, _ := published["actions"].([]any); len(actions) > 3 {
			http.Error(w, `{"code":40018,"http":400,"error":"invalid request: actions invalid, only 3 actions allowed"}`,
				http.StatusBadRequest)
			return
		}
		reply(s.add(topic, published))
	case reads && parts[1] == "auth":
		reply(map[string]any{"success": true})
	case reads:
		s.subscribe(w, r, topic)
	case len(parts) == 3 && parts[2] == "clear" && r.Method == http.MethodPut:
		reply(s.add(topic, map[string]any{"event": "message_clear", "sequence_id": parts[1]}))
	case len(parts) == 1 && r.Method == http.MethodPost:
		m := map[string]any{"message": string(body)}
		if r.URL.Query().Get("cache") == "no" {
			m[passing] = true
		}
		reply(s.add(topic, m))
	default:
		http.NotFound(w, r)
	}
}

// passing marks a message that only those receive who are subscribed when it comes.
const passing = "passing"

func (s *Server) subscribe(w http.ResponseWriter, r *http.Request, topic string) {
	send := func(m map[string]any) {
		_ = json.NewEncoder(w).Encode(m)
		w.(http.Flusher).Flush()
	}
	send(map[string]any{"event": "open", "topic": topic})
	n := 0
	if since := r.URL.Query().Get("since"); since != "all" {
		_, _ = fmt.Sscanf(since, "m%d", &n)
		n++
	}
	for live := false; ; live = true {
		news, woken := s.after(topic, n)
		for _, m := range news {
			if live || m[passing] == nil {
				send(m)
			}
		}
		n += len(news)
		select {
		case <-woken:
		case <-r.Context().Done():
			return
		}
	}
}

// Await returns the first message of a topic that is as wanted; of any topic if that is
// empty.
func (s *Server) Await(t *testing.T, topic string, wanted func(map[string]any) bool) map[string]any {
	t.Helper()
	late := time.After(time.Minute)
	for {
		all, woken := s.after(topic, 0)
		for _, m := range all {
			if wanted(m) {
				return m
			}
		}
		select {
		case <-woken:
		case <-late:
			t.Fatalf("no such message in %v", all)
		}
	}
}

// Titled reports whether a message has a title: it is a notification.
func Titled(m map[string]any) bool { return m["title"] != nil }

// Press does what the app does with a button of a notification.
func Press(t *testing.T, m map[string]any, button int) {
	t.Helper()
	a := m["actions"].([]any)[button].(map[string]any)
	req, err := http.NewRequestWithContext(t.Context(), a["method"].(string), a["url"].(string),
		strings.NewReader(a["body"].(string)))
	if err != nil {
		t.Fatal(err)
	}
	headers, _ := a["headers"].(map[string]any)
	for name, value := range headers {
		req.Header.Set(name, value.(string))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
}
