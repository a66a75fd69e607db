package server

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"mcp-askuser/internal/fatal"
)

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
