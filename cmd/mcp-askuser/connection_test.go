//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"testing"
	"time"

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
	calls  int
}

type message struct {
	raw    string
	ID     json.RawMessage
	Method string
	Result struct {
		Content           []struct{ Text string }
		StructuredContent struct {
			Status, ID, By string
			Answers        map[string]any
			Response       any
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
			m := message{raw: scan.Text()}
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
	info, err := json.Marshal(map[string]string{"name": client, "version": client})
	fatal.If(w.t, err)
	w.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":%s,"clientInfo":%s}}`, capabilities, info)
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	w.response("hello")
}

// call calls a tool, and returns the id of the request.
func (w *connection) call(tool, args string) (id string) {
	w.t.Helper()
	return w.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
}

func (w *connection) request(method, params string) (id string) {
	w.t.Helper()
	w.calls++
	id = fmt.Sprint("call ", w.calls)
	w.send(`{"jsonrpc":"2.0","id":%q,"method":%q,"params":%s}`, id, method, params)
	return id
}

func (w *connection) response(id string) message {
	w.t.Helper()
	return w.next(func(m message) bool { return string(m.ID) == strconv.Quote(id) })
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

const goOn = `{"question":"Go on?","options":["Yes","No"]}`
