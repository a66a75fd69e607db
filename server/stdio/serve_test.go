package stdio

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/tools/askuser"
)

// TestStubbornHandler: a handler that ignores its context does not keep the
// process.
func TestStubbornHandler(t *testing.T) {
	w := newWaiter(1)
	defer close(w.release)
	p := connect(t, testServer(map[string]mcpserver.ToolHandlerFunc{"stubborn": w.stubborn}))
	p.send(callLine("1", "stubborn"))
	waittest.Take(t, w.started)
	if rest, err := p.hangUp(); err != nil || len(rest) > 0 {
		t.Errorf("Serve returned %v, wrote %q", err, rest)
	}
	if log := p.log.String(); !strings.Contains(log, "handlers are still running") {
		t.Errorf("the log does not tell: %s", log)
	}
}

// TestEnds: Serve ends with its context although the input blocks, which it closes; with an input
// that breaks, whose half line is no message; and with an output that the client closes. A client
// that takes no output stops neither the reading nor the end.
func TestEnds(t *testing.T) {
	stop, broken := errors.New("stop"), errors.New("broken")
	closedPipe, closed, err := os.Pipe()
	fatal.If(t, err)
	fatal.If(t, closedPipe.Close())
	defer func() { _ = closed.Close() }()
	stuckPipe, stuck := io.Pipe()
	defer func() { _ = stuckPipe.Close() }()
	for name, test := range map[string]struct {
		out    io.Writer
		before string // the call
		end    func(client *io.PipeWriter, cancel context.CancelCauseFunc)
		errs   []error // of Serve; none: nil
		cause  error   // of the handler's end
	}{
		"context": {io.Discard, "", func(_ *io.PipeWriter, cancel context.CancelCauseFunc) { cancel(stop) },
			[]error{stop}, askuser.ErrClosing},
		"input": {io.Discard, "", func(client *io.PipeWriter, _ context.CancelCauseFunc) {
			_, _ = io.WriteString(client, cancelLine(`"c"`, "in half a line"))
			_ = client.CloseWithError(broken)
		}, []error{askuser.ErrDisconnected, broken}, askuser.ErrDisconnected},
		"output": {closed, "", func(client *io.PipeWriter, _ context.CancelCauseFunc) { write(t, client, pingLine("2")) },
			[]error{askuser.ErrDisconnected, syscall.EPIPE}, askuser.ErrDisconnected},
		"input, with an output that nobody takes": {stuck, strings.Repeat(pingLine("1")+"\n{}\n", 1000),
			func(client *io.PipeWriter, _ context.CancelCauseFunc) { _ = client.Close() }, nil, askuser.ErrDisconnected},
	} {
		t.Run(name, func(t *testing.T) {
			in, client := io.Pipe()
			w := newWaiter(1)
			ctx, cancel := context.WithCancelCause(t.Context())
			result := w.serve(ctx, in, test.out)
			write(t, client, test.before+callLine(`"c"`, "wait"))
			waittest.Take(t, w.started)
			test.end(client, cancel)
			got := waittest.Take(t, result)
			for _, want := range test.errs {
				if !errors.Is(got, want) {
					t.Errorf("Serve returned %v, want %v", got, want)
				}
			}
			if test.errs == nil && got != nil {
				t.Errorf("Serve returned %v", got)
			}
			if cause := waittest.Take(t, w.causes); !errors.Is(cause, test.cause) {
				t.Errorf("the handler saw %v", cause)
			}
			if _, err := client.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("the input was left open: %v", err)
			}
		})
	}
}
