package ntfy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// server behaves as the published API of ntfy 2.16 says, as far as we use it:
// publishing as JSON and as plain text, action buttons, subscribing as JSON with
// since, clearing by sequence id, access tokens.
type server struct {
	*httptest.Server
	token string

	mu     sync.Mutex
	topics map[string][]map[string]any
	woken  chan struct{} // closed at every message
}

func newServer(t *testing.T, token string) *server {
	s := &server{token: token, topics: map[string][]map[string]any{}, woken: make(chan struct{})}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) add(topic string, m map[string]any) map[string]any {
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
func (s *server) after(topic string, n int) ([]map[string]any, chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]map[string]any{}, s.topics[topic][min(n, len(s.topics[topic])):]...), s.woken
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	subscribes := len(parts) == 2 && parts[1] == "json"
	if s.token != "" && (subscribes || parts[0] == "") && r.Header.Get("Authorization") != "Bearer "+s.token {
		http.Error(w, `{"code":40301,"http":403,"error":"forbidden"}`, http.StatusForbidden)
		return
	}
	body, _ := io.ReadAll(r.Body)
	reply := func(m map[string]any) { _ = json.NewEncoder(w).Encode(m) }
	switch {
	case parts[0] == "" && r.Method == http.MethodPost:
		var m map[string]any
		if err := json.Unmarshal(body, &m); err != nil || m["topic"] == nil {
			http.Error(w, `{"code":40024,"http":400,"error":"invalid request: request body must be valid JSON"}`, http.StatusBadRequest)
			return
		}
		if actions, _ := m["actions"].([]any); len(actions) > 3 {
			http.Error(w, `{"code":40018,"http":400,"error":"invalid request: actions invalid, only 3 actions allowed"}`, http.StatusBadRequest)
			return
		}
		reply(s.add(m["topic"].(string), m))
	case subscribes:
		s.subscribe(w, r, parts[0])
	case len(parts) == 3 && parts[2] == "clear" && r.Method == http.MethodPut:
		reply(s.add(parts[0], map[string]any{"event": "message_clear", "sequence_id": parts[1]}))
	case len(parts) == 1 && r.Method == http.MethodPost:
		reply(s.add(parts[0], map[string]any{"message": string(body)}))
	default:
		http.NotFound(w, r)
	}
}

func (s *server) subscribe(w http.ResponseWriter, r *http.Request, topic string) {
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
	for {
		news, woken := s.after(topic, n)
		for _, m := range news {
			send(m)
		}
		n += len(news)
		select {
		case <-woken:
		case <-r.Context().Done():
			return
		}
	}
}

// await returns the first message of a topic that is as wanted.
func (s *server) await(t *testing.T, topic string, wanted func(map[string]any) bool) map[string]any {
	t.Helper()
	late := time.After(20 * time.Second)
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
