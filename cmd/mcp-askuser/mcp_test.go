//go:build unix

package main

import (
	"testing"
	"time"
)

// The client's own form comes first, and what its user accepts there is the result of the call.
func TestClientsForm(t *testing.T) {
	t.Parallel()
	w := dial(t, t.TempDir(), "serve")
	w.hello("test", `{"elicitation":{}}`)
	id := w.call("ask_user_question", goOn)
	form := w.next(func(m message) bool { return m.Method == "elicitation/create" })
	<-time.After(650 * time.Millisecond) // an accept within 600 ms is the client's own
	w.send(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"q1":"No"}}}`, form.ID)
	if got := w.response(id).Result.StructuredContent; got.Status != "answered" || got.Answers["Go on?"] != "No" {
		t.Errorf("the result is %+v", got)
	}
}
