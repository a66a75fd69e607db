package stdio

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"testing"

	mcpserver "github.com/mark3labs/mcp-go/server"
)

// wire is a client that sends lines and reads those that it waits for.
type wire struct {
	b   *testing.B
	in  *io.PipeWriter
	out *io.PipeReader
	buf []byte
	end chan error
}

func dialWire(b *testing.B, tools map[string]mcpserver.ToolHandlerFunc) *wire {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	w := &wire{b, inW, outR, make([]byte, 1<<16), make(chan error, 1)}
	s := testServer(tools)
	go func() { w.end <- Serve(b.Context(), s, inR, outW, Options{Grace: patience}) }()
	return w
}

func (w *wire) send(line string) {
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		w.b.Fatal(err)
	}
}

func (w *wire) ping() {
	w.send(pingLine(`"p"`))
	if _, err := w.out.Read(w.buf); err != nil {
		w.b.Fatal(err)
	}
}

func (w *wire) hangUp() {
	_ = w.in.Close()
	go func() { _, _ = io.Copy(io.Discard, w.out) }()
	if err := <-w.end; err != nil {
		w.b.Fatal(err)
	}
	_ = w.out.Close()
}

// waiting starts n calls that wait.
func (w *wire) waiting(tool *waiter, n int) {
	for i := range n {
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait","arguments":{"question":"Which database shall it be?","options":["SQLite","PostgreSQL"]},"_meta":{"progressToken":%[1]d}}}`, i))
	}
	receive(w.b, tool.started, n)
}

func BenchmarkCalls(b *testing.B) {
	w := dialWire(b, map[string]mcpserver.ToolHandlerFunc{"echo": echo})
	line := callLine("1", "echo")
	b.ReportAllocs()
	for b.Loop() {
		w.send(line)
		if _, err := w.out.Read(w.buf); err != nil {
			b.Fatal(err)
		}
	}
	w.hangUp()
}

func BenchmarkPing(b *testing.B) {
	w := dialWire(b, nil)
	for b.Loop() {
		w.ping()
	}
	w.hangUp()
}

func BenchmarkPingWithThousandWaiting(b *testing.B) {
	tool := newWaiter(many)
	w := dialWire(b, map[string]mcpserver.ToolHandlerFunc{"wait": tool.call})
	w.waiting(tool, many)
	for b.Loop() {
		w.ping()
	}
	w.hangUp()
}

// BenchmarkCancelThousand: until the handlers of a thousand cancelled calls
// know.
func BenchmarkCancelThousand(b *testing.B) {
	tool := newWaiter(many)
	w := dialWire(b, map[string]mcpserver.ToolHandlerFunc{"wait": tool.call})
	for b.Loop() {
		b.StopTimer()
		w.waiting(tool, many)
		b.StartTimer()
		for i := range many {
			w.send(cancelLine(strconv.Itoa(i), "AbortError"))
		}
		receive(b, tool.causes, many)
	}
	w.hangUp()
}

// BenchmarkEndWithThousandWaiting: from the end of input to that of Serve.
func BenchmarkEndWithThousandWaiting(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		tool := newWaiter(many)
		w := dialWire(b, map[string]mcpserver.ToolHandlerFunc{"wait": tool.call})
		w.waiting(tool, many)
		b.StartTimer()
		w.hangUp()
	}
}

// BenchmarkWaitingCall: what a call costs while it waits, mcp-go included.
func BenchmarkWaitingCall(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				tool := newWaiter(n)
				w := dialWire(b, map[string]mcpserver.ToolHandlerFunc{"wait": tool.call})
				w.ping()
				before, idle := memory(), runtime.NumGoroutine()
				w.waiting(tool, n)
				after := memory()
				per := func(after, before uint64) float64 { return float64(after-before) / float64(n) }
				b.ReportMetric(per(after.HeapAlloc, before.HeapAlloc), "heap-B/call")
				b.ReportMetric(per(after.StackInuse, before.StackInuse), "stack-B/call")
				b.ReportMetric(float64(runtime.NumGoroutine()-idle)/float64(n), "goroutines/call")
				w.hangUp()
			}
		})
	}
}

// memory is what is in use, garbage aside.
func memory() (m runtime.MemStats) {
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m
}
