//go:build hosts && linux

package hosts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/waittest"
	mirrored "mcp-askuser/mirror/codex"
	"mcp-askuser/question"
)

// asking is a model that asks in a message when the user writes "ask", and then waits
// for step before it ends the turn, or reads what the user wrote meanwhile.
type asking struct {
	*httptest.Server
	step chan struct{}

	waits atomic.Bool // has waited for a step

	mu   sync.Mutex
	read []string // the messages of the user's, in the last request
	n    int
}

func newAsking(t *testing.T) *asking {
	m := &asking{step: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", m.respond)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	m.Server = httptest.NewServer(trace(mux))
	t.Cleanup(m.CloseClientConnections)
	return m
}

func (m *asking) respond(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Input []struct {
			Type    string `json:"type"`
			Role    string `json:"role"`
			Content any    `json:"content"`
			Tools   any    `json:"tools"`
		} `json:"input"`
	}
	if !read(w, r, &body) {
		return
	}
	item := map[string]any{"type": "message", "id": "msg", "role": "assistant", "content": []any{map[string]any{"type": "output_text", "text": "ok"}}}
	last := body.Input[len(body.Input)-1]
	var written []string
	asks := false
	for _, in := range body.Input {
		asks = asks || strings.Contains(text(in.Tools), `"request_user_input_async"`)
		if in.Type == "message" && in.Role == "user" {
			for _, part := range in.Content.([]any) {
				written = append(written, part.(map[string]any)["text"].(string))
			}
		}
	}
	switch {
	case !asks: // a title: not the dialogue
	case last.Type == "function_call_output":
		m.waits.Store(true)
		select {
		case <-m.step:
		case <-r.Context().Done():
			return
		}
	case strings.HasPrefix(written[len(written)-1], "ask"):
		questions := []any{map[string]any{"title": "Which database?", "options": []string{"PostgreSQL", "MongoDB"}}}
		if strings.HasPrefix(written[len(written)-1], "ask two") {
			questions = append(questions, map[string]any{"title": "Which name?"})
		}
		m.mu.Lock()
		m.n++
		item = map[string]any{"type": "function_call", "id": fmt.Sprintf("fc_%d", m.n), "call_id": fmt.Sprintf("call_%d", m.n), "namespace": "functions",
			"name": "request_user_input_async", "arguments": text(map[string]any{"questions": questions})}
		m.mu.Unlock()
	}
	if asks {
		m.mu.Lock()
		m.read = written
		m.mu.Unlock()
	}
	events(w,
		map[string]any{"type": "response.created", "response": map[string]any{"id": "resp"}},
		map[string]any{"type": "response.output_item.done", "output_index": 0, "item": item},
		map[string]any{"type": "response.completed", "response": map[string]any{"id": "resp", "object": "response", "status": "completed",
			"output": []any{item}, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
}

// goOn has the model read what was written meanwhile.
func (m *asking) goOn(t *testing.T) {
	t.Helper()
	select {
	case m.step <- struct{}{}:
	case <-time.After(30 * time.Second):
		t.Fatal("the model is not in a turn")
	}
}

// replies are the answers to a question that the model has read, in their order.
func (m *asking) replies(id string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, written := range m.read {
		if found := regexp.MustCompile(`"answer":("(?:[^"\\]|\\.)*").*` + regexp.QuoteMeta(id)).FindStringSubmatch(written); found != nil {
			var answer string
			_ = json.Unmarshal([]byte(found[1]), &answer)
			out = append(out, answer)
		}
	}
	return out
}

// daemon is the real Codex with its daemon and screen, and our watcher, whose traffic
// is recorded.
type daemon struct {
	*host
	*asking
	desk  *desk.Desk
	paths *strings.Replacer // of this machine, for the record

	traffic sync.Mutex
	lines   []string
}

func startDaemon(t *testing.T) *daemon {
	m := newAsking(t)
	home, err := os.MkdirTemp("", "codex") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	dir := t.TempDir()
	env := saveCodexConfig(t, home, dir, m.URL, "gpt-6-astra")
	t.Cleanup(func() {
		m.CloseClientConnections() // or it waits for the turn
		stop := exec.Command(bin(t, "codex"), "app-server", "daemon", "stop")
		stop.Env = env
		if out, err := stop.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		killIn(home)
	})
	d := &daemon{host: start(t, nil, dir, env, bin(t, "codex")), asking: m, paths: strings.NewReplacer(home, "/home/ada/.codex", dir, "/home/ada/shop")}
	d.expect("Ask Codex to do anything")
	theirs := mirrored.Socket(func(name string) string { return map[string]string{"CODEX_HOME": home}[name] })
	if !waittest.Until(30*time.Second, func() bool { _, err := os.Stat(theirs); return err == nil }) {
		t.Fatalf("there is no daemon:\n%s", d.screen())
	}
	store := desktest.Store(t, filepath.Join(home, "desk"))
	d.desk = desk.New(store, desk.Options{})
	socket := filepath.Join(home, "s")
	d.proxy(socket, theirs)
	ctx, cancel := context.WithCancel(context.Background())
	ended, log := make(chan struct{}), &bytes.Buffer{}
	go func() {
		defer close(ended)
		mirrored.Watch(ctx, mirrored.Options{Desk: d.desk, Log: slog.New(slog.NewTextHandler(log, nil)), Socket: socket, Daemon: os.Getpid(), Version: "1"})
	}()
	t.Cleanup(func() {
		d.record(t)
		cancel()
		<-ended
		if log.Len() > 0 {
			t.Error(log)
		}
	})
	return d
}

// killIn ends the processes of this Codex: its updater outlives the daemon, and holds a
// deleted program of hundreds of megabytes.
func killIn(home string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, _ := os.ReadFile(file)
		if slices.Contains(strings.Split(string(env), "\x00"), "CODEX_HOME="+home) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// proxy listens at one socket for our watcher, and passes on to the daemon's.
func (d *daemon) proxy(at, to string) {
	listener, err := net.Listen("unix", at)
	if err != nil {
		d.t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ours, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", to)
		}}
		theirs, _, err := websocket.Dial(r.Context(), "ws://localhost/", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
		if err != nil {
			d.t.Error(err)
			return
		}
		theirs.SetReadLimit(-1)
		pass := func(from, to *websocket.Conn, mark string) {
			defer func() { _ = from.CloseNow(); _ = to.CloseNow() }()
			for {
				kind, data, err := from.Read(r.Context())
				if err != nil || to.Write(r.Context(), kind, data) != nil {
					return
				}
				d.traffic.Lock()
				d.lines = append(d.lines, mark+strings.TrimSpace(string(data)))
				d.traffic.Unlock()
			}
		}
		go pass(ours, theirs, "> ")
		pass(theirs, ours, "< ")
	})}
	go func() { _ = server.Serve(listener) }()
	d.t.Cleanup(func() { _ = server.Close() })
}

// say writes a line as a user does: what comes in one piece counts as pasted.
func (d *daemon) say(line string) {
	d.t.Helper()
	d.write(line)
	d.expect(line)
	d.press("Enter")
}

// ask has the model ask, and waits for the questions on the desk and on the screen.
func (d *daemon) ask(say string, n int) []desk.Record {
	d.t.Helper()
	d.say(say)
	records := d.open(n)
	d.traffic.Lock()
	asked := regexp.MustCompile(`"delivery":"async".*"emittedAtMs":(\d+)`).FindAllStringSubmatch(strings.Join(d.lines, "\n"), -1)
	d.traffic.Unlock()
	emitted, _ := strconv.ParseInt(asked[len(asked)-1][1], 10, 64)
	took := time.Since(time.UnixMilli(emitted)).Round(time.Millisecond)
	d.t.Logf("%q: on the desk %v after Codex reported it", say, took)
	if took > time.Second {
		d.t.Errorf("%q is on the desk only after %v", say, took)
	}
	d.expect("to answer")
	return records
}

// open waits for n open questions on the desk.
func (d *daemon) open(n int) (records []desk.Record) {
	d.t.Helper()
	d.until(func(ctx context.Context) (err error) {
		if records, err = d.desk.Pending(ctx); err == nil && len(records) != n {
			err = fmt.Errorf("%d questions are open, not %d", len(records), n)
		}
		return err
	})
	return records
}

// settled waits for the end of a record that Codex has reported.
func (d *daemon) settled(id string) (rec desk.Record) {
	d.t.Helper()
	d.until(func(ctx context.Context) (err error) {
		if rec, err = d.desk.Get(ctx, id); err == nil && (rec.Outcome == nil || rec.Outcome.Unsettled) {
			err = fmt.Errorf("it ended %+v", rec.Outcome)
		}
		return err
	})
	return rec
}

// until waits for a change of the desk after which check finds no fault.
func (d *daemon) until(check func(context.Context) error) {
	d.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	changes, err := d.desk.Watch(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	for {
		if err = check(ctx); err == nil {
			return
		}
		if _, ok := <-changes; !ok {
			d.t.Fatalf("%v:\n%s", err, d.screen())
		}
	}
}

func (d *daemon) reply(rec desk.Record, r question.Reply) error {
	_, err := d.desk.Reply(context.Background(), rec.ID, r, desk.Evidence{Surface: "web", How: desk.HowPage})
	return err
}

func choice(label string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{label}}}}
}

// number is the question's, in the model's calls.
func (d *daemon) number(rec desk.Record) string {
	return regexp.MustCompile(`call_\d+\\?",\d`).FindString(fmt.Sprint(rec.Metadata["request"]))
}

// record writes the traffic into the directory that HOSTS_RECORD names.
func (d *daemon) record(t *testing.T) {
	dir := os.Getenv("HOSTS_RECORD")
	if dir == "" {
		return
	}
	d.traffic.Lock()
	defer d.traffic.Unlock()
	save(t, filepath.Join(dir, filepath.Base(t.Name())+".txt"), d.paths.Replace(strings.Join(d.lines, "\n")+"\n"))
}

// TestMessages answers Codex's questions in messages here, there, and later.
func TestMessages(t *testing.T) {
	t.Run("here", func(t *testing.T) {
		d := startDaemon(t)
		rec := d.ask("ask", 1)[0]
		waittest.Until(30*time.Second, d.waits.Load) // or it reads the answer at once
		if err := d.reply(rec, choice("MongoDB")); err != nil {
			t.Fatal(err)
		}
		d.goOn(t)
		d.expect("Re: Which database?")
		if rec = d.settled(rec.ID); rec.Outcome.Surface != "web" || rec.Later != nil {
			t.Errorf("it ended %+v", rec.Outcome)
		}
		if !waittest.Until(30*time.Second, func() bool { return slices.Equal(d.replies("call_1"), []string{"MongoDB"}) }) {
			t.Errorf("the model has read %q", d.replies("call_1"))
		}
	})
	t.Run("there", func(t *testing.T) {
		d := startDaemon(t)
		records := d.ask("ask two", 2)
		d.press("S-Left")
		d.expect("enter submit")
		d.press("2")
		d.expect("Type your answer")
		d.say("Shop")
		d.expect("↳ > Which name?")
		d.goOn(t)
		for _, rec := range records {
			rec = d.settled(rec.ID)
			if got := rec.Asked()[0].Text(); rec.Outcome.Surface != "codex" || got != map[string]string{"Which database?": "MongoDB", "Which name?": "Shop"}[rec.Questions[0].Text] {
				t.Errorf("%s: %+v, %s", rec.Questions[0].Text, rec.Outcome, got)
			}
		}
	})
	t.Run("after the turn", func(t *testing.T) {
		d := startDaemon(t)
		records := d.ask("ask two", 2)
		d.goOn(t)
		d.expect("Worked for")
		for i, r := range []question.Reply{choice("PostgreSQL"), {Answers: []question.Answer{{QuestionID: "q1", Custom: "Shop"}}}} {
			i = slices.IndexFunc(records, func(rec desk.Record) bool { return strings.HasSuffix(d.number(rec), fmt.Sprint(i)) })
			if err := d.reply(records[i], r); err != nil {
				t.Fatal(err)
			}
			if rec := d.settled(records[i].ID); rec.Outcome.Surface != "web" || rec.Later != nil {
				t.Errorf("it ended %+v", rec.Outcome)
			}
		}
		both := func() bool { return slices.Equal(d.replies("call_1"), []string{"PostgreSQL", "Shop"}) }
		if !waittest.Until(30*time.Second, both) { // Codex reports it before the model reads it
			t.Errorf("the model has read %q", d.replies("call_1"))
		}
	})
	t.Run("something else", func(t *testing.T) {
		d := startDaemon(t)
		rec := d.ask("ask", 1)[0]
		d.say("never mind")
		d.expect("↳ never mind")
		d.goOn(t)
		if rec = d.settled(rec.ID); rec.State != desk.Cancelled {
			t.Errorf("it ended %+v", rec.Outcome)
		}
		d.expect("Worked for")
		if screen := d.screen(); strings.Contains(screen, "to answer") {
			t.Errorf("Codex still asks:\n%s", screen)
		}
	})
}

// TestMessageRaces answers 30 questions here and there at once. Each answer reaches the
// model at most once, with its own question; the first that it reads counts on the desk,
// too. Both can reach it: Codex announces an answer only when it passes it on.
func TestMessageRaces(t *testing.T) {
	d := startDaemon(t)
	var ends [30]desk.Record
	refused := 0
	for i := range ends {
		rec := d.ask(fmt.Sprintf("ask %d", i), 1)[0]
		d.press("S-Left")
		d.expect("enter submit")
		var replied error
		var race sync.WaitGroup
		if i%3 == 2 { // the model reads at the same moment, too
			race.Go(d.drain)
		}
		race.Go(func() { replied = d.reply(rec, choice("MongoDB")) })
		race.Go(func() { d.press("1") })
		race.Wait()
		d.drain()
		if ends[i] = d.settled(rec.ID); replied != nil {
			refused++
		}
	}
	d.say("the end") // the model has read all before
	if !waittest.Until(30*time.Second, func() bool { d.asking.mu.Lock(); defer d.asking.mu.Unlock(); return slices.Contains(d.read, "the end") }) {
		t.Fatalf("the model has not read the last message:\n%s", d.screen())
	}
	var both, here, there int
	for i, end := range ends {
		got := d.replies(fmt.Sprintf(`call_%d\"`, i+1))
		t.Logf("%d: the model has read %q; it ended on %s, later %v", i, got, end.Outcome.Surface, end.Later != nil)
		switch {
		case len(got) == 2 && got[0] != got[1]:
			both++
		case slices.Equal(got, []string{"MongoDB"}):
			here++
		case slices.Equal(got, []string{"PostgreSQL"}):
			there++
		default:
			t.Errorf("%d: the model has read %q", i, got)
			continue
		}
		if first := map[string]string{"MongoDB": "web", "PostgreSQL": "codex"}[got[0]]; end.Outcome.Surface != first {
			t.Errorf("%d: the first is not what counts", i)
		}
	}
	t.Logf("of 30: %d both, %d only here, %d only there; %d refused here", both, here, there, refused)
}

// drain lets the turn end.
func (d *daemon) drain() {
	for deadline := time.After(30 * time.Second); ; {
		select {
		case d.step <- struct{}{}:
		case <-deadline:
			d.t.Fatal("the turn does not end")
		default:
			if !strings.Contains(d.screen(), "Working") {
				return
			}
		}
	}
}
