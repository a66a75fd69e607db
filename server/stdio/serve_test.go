package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/tools/askuser"
)

// TestPipedInput: what a shell pipes in is answered, although the input has
// ended by then and its last line has no newline.
func TestPipedInput(t *testing.T) {
	in := strings.NewReader(initializeLine(`{}`) + "\n\n" + callLine("1", "echo") + "\n" + pingLine("2"))
	var out strings.Builder
	fatal.If(t, Serve(t.Context(), testServer(map[string]mcpserver.ToolHandlerFunc{"echo": echo}), in, &out, Options{}))
	for _, want := range []string{`{"jsonrpc":"2.0","id":"init","result":`, textResult("1", "done") + "\n", pong("2") + "\n"} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("%s is missing in %s", want, out.String())
		}
	}
}

// TestStubbornHandler: a handler that ignores its context does not keep the
// process.
func TestStubbornHandler(t *testing.T) {
	release, started := make(chan struct{}), make(chan struct{})
	defer close(release)
	stubborn := func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(started)
		<-release
		return mcp.NewToolResultText("too late"), nil
	}
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"stubborn": stubborn}))
	p.send(callLine("1", "stubborn"))
	<-started
	if rest, err := p.hangUp(); err != nil || len(rest) > 0 {
		t.Errorf("Serve returned %v, wrote %q", err, rest)
	}
	if log := p.log.String(); !strings.Contains(log, "handlers are still running") {
		t.Errorf("the log does not tell: %s", log)
	}
}

// TestContextEnd: Serve ends with ctx although the input blocks, closing it
// where that is possible.
func TestContextEnd(t *testing.T) {
	stop := errors.New("stop")
	tests := []struct {
		name  string
		input func(t *testing.T) (io.Reader, io.WriteCloser)
	}{
		{"a pipe of the system", func(t *testing.T) (io.Reader, io.WriteCloser) {
			r, w, err := os.Pipe()
			fatal.If(t, err)
			return r, w
		}},
		{"a reader that cannot be closed", func(*testing.T) (io.Reader, io.WriteCloser) {
			r, w := io.Pipe()
			return struct{ io.Reader }{r}, w
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in, client := test.input(t)
			defer func() { _ = client.Close() }()
			w := newWaiter(1)
			ctx, cancel := context.WithCancelCause(t.Context())
			result := w.serve(ctx, in, io.Discard)
			write(t, client, callLine("1", "wait"))
			waittest.Take(t, w.started)
			cancel(stop)
			if err := waittest.Take(t, result); !errors.Is(err, stop) {
				t.Errorf("Serve returned %v, want the context's cause", err)
			}
			if cause := waittest.Take(t, w.causes); !errors.Is(cause, askuser.ErrClosing) {
				t.Errorf("the handler saw %v", cause)
			}
			if file, ok := in.(*os.File); ok {
				if _, err := file.Stat(); !errors.Is(err, os.ErrClosed) {
					t.Errorf("the input was left open: %v", err)
				}
			}
		})
	}
}

// TestWriteError: a client that closes our output has disconnected.
func TestWriteError(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW, err := os.Pipe()
	fatal.If(t, err)
	defer func() { _ = outW.Close() }()
	fatal.If(t, outR.Close())
	w := newWaiter(1)
	result := w.serve(t.Context(), inR, outW)
	write(t, inW, callLine("1", "wait"))
	waittest.Take(t, w.started)
	write(t, inW, pingLine("2"))
	if err := waittest.Take(t, result); !errors.Is(err, askuser.ErrDisconnected) || !errors.Is(err, syscall.EPIPE) {
		t.Errorf("Serve returned %v", err)
	}
	if cause := waittest.Take(t, w.causes); !errors.Is(cause, askuser.ErrDisconnected) {
		t.Errorf("the handler saw %v", cause)
	}
}

// TestReadError: so has one whose input breaks. What came of a line until then is no message.
func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	in := io.MultiReader(strings.NewReader(pingLine("1")+"\nhalf a li"), iotest.ErrReader(broken))
	var out strings.Builder
	err := Serve(t.Context(), testServer(nil), in, &out, Options{})
	if !errors.Is(err, askuser.ErrDisconnected) || !errors.Is(err, broken) || out.String() != pong("1")+"\n" {
		t.Errorf("Serve returned %v, wrote %q", err, out.String())
	}
}

// TestClientDoesNotRead: an output that nobody takes stops neither the reading
// nor the end.
func TestClientDoesNotRead(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	defer func() { _ = outR.Close() }()
	w := newWaiter(1)
	result := w.serve(t.Context(), inR, outW)
	write(t, inW, strings.Repeat(pingLine("1")+"\n{}\n", 1000)+callLine("2", "wait"))
	waittest.Take(t, w.started)
	_ = inW.Close()
	if err := waittest.Take(t, result); err != nil {
		t.Error(err)
	}
}

const internalError = `"error":{"code":-32603,"message":"internal error; see the server's log"}}`

// TestFailuresInside: a call whose handler panics, or whose result cannot be
// encoded, is answered all the same; the details are for the log alone.
func TestFailuresInside(t *testing.T) {
	tests := []struct {
		name    string
		handler mcpserver.ToolHandlerFunc
		log     []string
	}{
		{"panic", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			panic("secret path")
		}, []string{"secret path", "serve_test.go"}},
		{"a channel as result", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructuredOnly(make(chan int)), nil
		}, []string{"unsupported type: chan int"}},
		{"a result that panics when encoded", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultStructured(bomb{}, "x"), nil
		}, []string{"secret bomb"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"fail": test.handler}))
			p.send(callLine("9007199254740993", "fail"))
			p.want(`{"jsonrpc":"2.0","id":9007199254740993,` + internalError)
			p.send(pingLine("2"))
			p.want(pong("2"))
			for _, want := range test.log {
				if !strings.Contains(p.log.String(), want) {
					t.Errorf("%q is missing in the log: %s", want, p.log)
				}
			}
		})
	}
}

type bomb struct{}

func (bomb) MarshalJSON() ([]byte, error) { panic("secret bomb") }

// TestPipelinedInitialize: a call sent with initialize in one write finds the
// capabilities (with mcp-go 250 times of 300).
func TestPipelinedInitialize(t *testing.T) {
	s := testServer(map[string]mcpserver.ToolHandlerFunc{"can": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(fmt.Sprint(transportOf(ctx).Client().Capabilities.Elicitation != nil)), nil
	}})
	for range 300 {
		in := strings.NewReader(initializeLine(`{"elicitation":{}}`) + "\n" + callLine("1", "can") + "\n")
		var out strings.Builder
		fatal.If(t, Serve(t.Context(), s, in, &out, Options{}))
		if want := textResult("1", "true") + "\n"; !strings.Contains(out.String(), want) {
			t.Fatalf("got %s", out.String())
		}
	}
}

// FuzzServe: whatever a client sends, Serve survives it and writes nothing but
// lines of JSON-RPC.
func FuzzServe(f *testing.F) {
	f.Add(initializeLine(`{"elicitation":{}}`) + "\n" + callLine("1", "echo") + "\n" + cancelLine("1", "x"))
	f.Add(callLine(`"a"`, "ask") + "\n" + `{"jsonrpc":"2.0","id":"askuser-1","result":{"action":"accept"}}`)
	f.Add(listenLine("1", `{"toolsListChanged":true}`) + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	f.Add("[]\n{}\nnull\n\n{\"id\":1}")
	s := testServer(map[string]mcpserver.ToolHandlerFunc{"echo": echo, "ask": func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, _, err := transportOf(ctx).Elicit(ctx, form)
		return nil, err
	}})
	f.Fuzz(func(t *testing.T, in string) {
		var out strings.Builder
		fatal.If(t, Serve(t.Context(), s, strings.NewReader(in), &out, Options{Grace: waittest.Patience}))
		for line := range strings.Lines(out.String()) {
			var message struct{ JSONRPC string }
			if err := json.Unmarshal([]byte(line), &message); err != nil || message.JSONRPC != "2.0" {
				t.Fatalf("%q: %v", line, err)
			}
		}
	})
}
