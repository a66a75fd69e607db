//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
)

// connection is a raw connection to the program: what a client library would hide
// is seen here.
type connection struct {
	t      *testing.T
	cmd    *exec.Cmd
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
	w := &connection{t: t, cmd: cmd, stderr: &bytes.Buffer{}}
	cmd.Stderr = w.stderr
	var err error
	if w.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	fatal.If(t, err)
	fatal.If(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	read := w.listen(out)
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

// listen reads messages until the end of out, and closes the returned channel then.
func (w *connection) listen(out io.Reader) <-chan struct{} {
	w.lines = make(chan message, 4096)
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(w.lines)
		scan := bufio.NewScanner(out)
		scan.Buffer(nil, 1<<20)
		for scan.Scan() {
			var m message
			if err := json.Unmarshal(scan.Bytes(), &m); err != nil {
				w.t.Errorf("not JSON-RPC on standard output: %q", scan.Text())
			}
			w.lines <- m
		}
	}()
	return read
}

func (w *connection) send(format string, args ...any) {
	w.t.Helper()
	if _, err := fmt.Fprintf(w.in, format+"\n", args...); err != nil {
		w.t.Fatal(err)
	}
}

func (w *connection) hello(client, capabilities string) {
	w.t.Helper()
	w.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":%s,"clientInfo":{"name":%q,"version":"1"}}}`, capabilities, client)
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

const goOn = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user_question",` +
	`"arguments":{"question":"Go on?","options":["Yes","No"]},"_meta":{"progressToken":%d}}}`

func say(t *testing.T, d *desk.Desk, id, option string) {
	t.Helper()
	_, err := d.Reply(t.Context(), id, choose(option), onPage)
	fatal.If(t, err)
}

func (w *connection) waiting() {
	w.t.Helper()
	w.next(func(m message) bool { return m.Method == "notifications/progress" })
}
