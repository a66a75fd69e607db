//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/question"
)

// connection is a raw connection to the program: what a client library would hide
// is seen here.
type connection struct {
	t      *testing.T
	in     io.WriteCloser
	lines  chan message
	stderr *bytes.Buffer
	wait   func() error
	kill   func()
}

type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent struct {
			Status, ID, Summary string
			Answers             map[string]string
		}
	}
	Error *struct{ Message string }
}

func dial(t *testing.T, dir string, args ...string) *connection {
	t.Helper()
	return speakTo(t, program(t, dir, args...))
}

// speakTo starts the program and is its client.
func speakTo(t *testing.T, cmd *exec.Cmd) *connection {
	t.Helper()
	w := &connection{t: t, lines: make(chan message, 4096), stderr: &bytes.Buffer{}}
	cmd.Stderr = w.stderr
	var err error
	if w.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(w.lines)
		scan := bufio.NewScanner(out)
		scan.Buffer(nil, 1<<20)
		for scan.Scan() {
			var m message
			if err := json.Unmarshal(scan.Bytes(), &m); err != nil {
				t.Errorf("not JSON-RPC on standard output: %q", scan.Text())
			}
			w.lines <- m
		}
	}()
	w.wait = func() error {
		<-read
		return cmd.Wait()
	}
	w.kill = func() {
		_ = cmd.Process.Kill()
		_ = w.wait()
	}
	return w
}

func (w *connection) send(format string, args ...any) {
	w.t.Helper()
	if _, err := fmt.Fprintf(w.in, format+"\n", args...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *connection) hello(client, capabilities string) {
	w.t.Helper()
	w.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":%q,"version":"1"}}}`, capabilities, client)
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	w.next(func(m message) bool { return string(m.ID) == `"hello"` })
}

// next returns the first message that is wanted; others are dropped.
func (w *connection) next(want func(message) bool) message {
	w.t.Helper()
	limit := time.After(patience)
	for {
		select {
		case m, ok := <-w.lines:
			if !ok {
				w.t.Fatalf("the program ended: %s", w.stderr)
			}
			if want(m) {
				return m
			}
		case <-limit:
			w.t.Fatalf("no answer within %s: %s", patience, w.stderr)
		}
	}
}

func openDesk(t testing.TB, dir string) *desk.Desk {
	t.Helper()
	store := desktest.Store(t, dir)
	return desk.New(store, desk.Options{})
}

// A thousand calls wait in one server. All are on disk; a ping is answered
// throughout; each answer reaches its own caller; what is cancelled is
// withdrawn and never responded to; the end of input ends the program.
func TestThousandWaitingCalls(t *testing.T) {
	const calls = 1000
	dir := t.TempDir()
	w := dial(t, dir, "serve", "--surface", "inbox", "--hold", "1h")
	w.hello("test", `{}`)
	for i := range calls {
		w.send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user_question","arguments":{"question":"Question %d?","options":["A","B"]},"_meta":{"progressToken":%d}}}`, i, i, i)
	}
	for waiting := map[string]bool{}; len(waiting) < calls; {
		m := w.next(func(m message) bool { return m.Method == "notifications/progress" })
		var params struct{ ProgressToken json.RawMessage }
		if err := json.Unmarshal(m.Params, &params); err != nil {
			t.Fatal(err)
		}
		waiting[string(params.ProgressToken)] = true // a slow start sees a second tick
	}
	d := openDesk(t, dir)
	pending, err := d.Pending(t.Context())
	if err != nil || len(pending) != calls {
		t.Fatalf("%d records are pending, want %d: %v", len(pending), calls, err)
	}

	w.send(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
	w.next(func(m message) bool { return string(m.ID) == `"ping"` })

	// Every other question is answered, from another program, last first.
	byNumber := map[int]desk.Record{}
	for _, rec := range pending {
		var n int
		if _, err := fmt.Sscanf(rec.Questions[0].Text, "Question %d?", &n); err != nil {
			t.Fatal(err)
		}
		byNumber[n] = rec
	}
	go func() {
		for n := calls - 2; n >= 0; n -= 2 {
			reply := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: fmt.Sprintf("answer to %d", n)}}}
			if _, err := d.Reply(t.Context(), byNumber[n].ID, reply, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
				t.Error(err)
			}
		}
	}()
	for range calls / 2 {
		m := w.next(func(m message) bool { return m.ID != nil })
		var n int
		_ = json.Unmarshal(m.ID, &n)
		got := m.Result.StructuredContent
		if got.Answers[fmt.Sprintf("Question %d?", n)] != fmt.Sprintf("answer to %d", n) {
			t.Errorf("call %d got %+v", n, got)
		}
	}

	// The others are cancelled.
	for n := 1; n < calls; n += 2 {
		w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"AbortError: user-cancel"}}`, n)
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	for n := 1; n < calls; n += 2 {
		rec, err := d.Wait(ctx, byNumber[n].ID)
		if err != nil || rec.State != desk.Cancelled {
			t.Fatalf("question %d: %s, %v", n, rec.State, err)
		}
	}

	if err := w.in.Close(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for m := range w.lines {
			if m.ID != nil {
				t.Errorf("a response to the cancelled call %s", m.ID)
			}
		}
	}()
	if err := w.wait(); err != nil {
		t.Errorf("%v: %s", err, w.stderr)
	}
	if strings.Contains(w.stderr.String(), "DATA RACE") {
		t.Error(w.stderr)
	}
}
