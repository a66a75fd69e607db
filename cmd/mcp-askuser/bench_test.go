package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
)

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

// running is a started program that speaks JSON-RPC.
type running struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(b testing.TB, path, dir string, args ...string) *running {
	b.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), spool.EnvDir+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	return &running{cmd, in, bufio.NewReaderSize(out, 1<<16)}
}

func (r *running) say(b testing.TB, line string) {
	b.Helper()
	if _, err := io.WriteString(r.in, line); err != nil {
		b.Fatal(err)
	}
}

func (r *running) hear(b testing.TB) string {
	b.Helper()
	line, err := r.out.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return line
}

func (r *running) stop() {
	_ = r.in.Close()
	_ = r.cmd.Wait()
}

// resident returns the program's resident memory in MiB.
func (r *running) resident(b testing.TB) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	if err != nil {
		b.Skip(err)
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	var kib float64
	if _, err := fmt.Sscan(after, &kib); err != nil {
		b.Fatal(err)
	}
	return kib / 1024
}

func percentile(all []float64, p float64) float64 {
	slices.Sort(all)
	return all[min(len(all)-1, int(p*float64(len(all))))]
}

// BenchmarkReply measures from a reply committed by another process to the
// tool result at the client.
func BenchmarkReply(b *testing.B) {
	dir := b.TempDir()
	r := start(b, released(b, ours), dir, "serve", "--surface", "inbox", "--max-rounds", "0")
	defer r.stop()
	r.say(b, hello)
	r.hear(b)
	store, err := spool.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	d := desk.New(store, desk.Options{})
	events, err := d.Watch(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var took []float64
	for n := 1; b.Loop(); n++ {
		r.say(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user_question","arguments":{"question":"Question %d?"}}}`+"\n", n, n))
		var id string
		for id == "" {
			if e := <-events; e.Type == desk.Asked {
				id = e.Record.ID
			}
		}
		if _, err := d.Reply(b.Context(), id, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "x"}}}, "inbox"); err != nil {
			b.Fatal(err)
		}
		at := time.Now()
		r.hear(b)
		took = append(took, time.Since(at).Seconds()*1000)
	}
	b.ReportMetric(percentile(took, 0.5), "p50-ms")
	b.ReportMetric(percentile(took, 0.99), "p99-ms")
}

// BenchmarkWaiting keeps a thousand calls waiting in one server: how long a ping
// takes among them, a call that its user cancels to be withdrawn, and the
// program to end.
func BenchmarkWaiting(b *testing.B) {
	const calls = 1000
	dir := b.TempDir()
	r := start(b, released(b, ours), dir, "serve", "--surface", "inbox", "--hold", "1h", "--max-rounds", "0")
	r.say(b, hello)
	r.hear(b)
	store, err := spool.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	d := desk.New(store, desk.Options{})
	events, err := d.Watch(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	asked := 0
	var open []string // their ids, by number
	ask := func() {
		r.say(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user_question","arguments":{"question":"Question %d?"}}}`+"\n", asked, asked))
		asked++
		for e := range events {
			if e.Type == desk.Asked {
				open = append(open, e.Record.ID)
				return
			}
		}
		b.Fatal("the question was not asked")
	}
	for range calls {
		ask()
	}
	var pings, withdrawals []float64
	for n := 0; b.Loop(); n++ {
		at := time.Now()
		r.say(b, `{"jsonrpc":"2.0","id":"ping","method":"ping"}`+"\n")
		for !strings.Contains(r.hear(b), `"id":"ping"`) {
		}
		pings = append(pings, time.Since(at).Seconds()*1000)

		at = time.Now()
		r.say(b, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"AbortError: user-cancel"}}`+"\n", n))
		rec, err := d.Wait(b.Context(), open[n])
		if err != nil || rec.State != desk.Cancelled {
			b.Fatalf("%s, %v", rec.State, err)
		}
		withdrawals = append(withdrawals, rec.Outcome.At.Sub(at).Seconds()*1000)
		ask()
	}
	at := time.Now()
	r.stop()
	b.ReportMetric(time.Since(at).Seconds()*1000, "end-ms")
	for _, promise := range []struct {
		what         string
		took, atMost float64 // ms
	}{
		{"ping-p99-ms", percentile(pings, 0.99), 100},
		{"withdrawal-p99-ms", percentile(withdrawals, 0.99), 250},
	} {
		b.ReportMetric(promise.took, promise.what)
		if promise.took > promise.atMost {
			b.Errorf("%s is %.0f, promised are %.0f", promise.what, promise.took, promise.atMost)
		}
	}
}

// BenchmarkFleet runs 200 servers with one open question each: how long an
// inbox takes to show them all, and an answer to reach its server's client.
func BenchmarkFleet(b *testing.B) {
	const servers = 200
	dir := b.TempDir()
	path := released(b, ours)
	store, err := spool.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	d := desk.New(store, desk.Options{})
	events, err := d.Watch(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	fleet := map[string]*running{} // by question
	next := 0
	askIn := func(r *running) desk.Record {
		next++
		r.say(b, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user_question","arguments":{"question":"Question %d?"}}}`+"\n", next, next))
		for e := range events {
			if e.Type == desk.Asked {
				return e.Record
			}
		}
		b.Fatal("the question was not asked")
		return desk.Record{}
	}
	var open []desk.Record
	for range servers {
		r := start(b, path, dir, "serve", "--surface", "inbox")
		defer r.stop()
		r.say(b, hello)
		r.hear(b)
		rec := askIn(r)
		fleet[rec.ID] = r
		open = append(open, rec)
	}
	var shown, took []float64
	for b.Loop() {
		cmd := exec.Command(path, "inbox")
		cmd.Env = append(os.Environ(), spool.EnvDir+"="+dir, "TERM=xterm-256color")
		at := time.Now()
		x := termtest.Start(b, cmd, 80, 24)
		x.WaitFor(fmt.Sprintf("%d waiting", servers))
		shown = append(shown, time.Since(at).Seconds()*1000)
		x.Type("q")
		x.Wait()

		rec := open[0]
		r := fleet[rec.ID]
		if _, err := d.Reply(b.Context(), rec.ID, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "x"}}}, "inbox"); err != nil {
			b.Fatal(err)
		}
		at = time.Now()
		r.hear(b)
		took = append(took, time.Since(at).Seconds()*1000)
		delete(fleet, rec.ID)
		rec = askIn(r)
		fleet[rec.ID] = r
		open = append(open[1:], rec)
	}
	b.ReportMetric(percentile(shown, 0.5), "inbox-p50-ms")
	b.ReportMetric(percentile(shown, 0.99), "inbox-p99-ms")
	b.ReportMetric(percentile(took, 0.99), "reply-p99-ms")
}
