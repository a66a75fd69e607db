package codex_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/mirror/codex"
	"mcp-askuser/question"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// daemon stands for Codex's, with one thread; what it does was recorded from
// version 0.169.
type daemon struct {
	t      *testing.T
	socket string
	asked  atomic.Value // the request that is open: a string
	turns  atomic.Value // the latest turn, of a thread that asks nothing: a string

	ctx  context.Context
	conn chan *websocket.Conn
	got  chan packet
}

type packet struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

func startDaemon(t *testing.T) *daemon {
	t.Helper()
	dir, err := os.MkdirTemp("", "codex") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	ctx, stop := context.WithTimeout(context.Background(), patience)
	d := &daemon{t: t, socket: filepath.Join(dir, "s"), ctx: ctx, conn: make(chan *websocket.Conn, 8), got: make(chan packet, 64)}
	listener, err := net.Listen("unix", d.socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(d.serve), ReadHeaderTimeout: patience}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { stop(); _ = server.Close() })
	return d
}

func (d *daemon) serve(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	d.conn <- conn
	for {
		_, data, err := conn.Read(d.ctx)
		if err != nil {
			return
		}
		var p packet
		_ = json.Unmarshal(data, &p)
		d.got <- p
		say := func(format string, args ...any) {
			_ = conn.Write(d.ctx, websocket.MessageText, fmt.Appendf(nil, format, args...))
		}
		switch p.Method {
		case "initialize":
			say(`{"id":%s,"result":{"userAgent":"codex-tui/0.169.0","codexHome":"/home/ada/.codex"}}`, p.ID)
			say(`{"method":"configWarning","params":{"summary":"x","details":null}}`)
		case "thread/loaded/list":
			say(`{"id":%s,"result":{"data":["th1","th2"],"nextCursor":null}}`, p.ID)
		case "thread/resume":
			asked, _ := d.asked.Load().(string)
			switch {
			case strings.Contains(string(p.Params), "th2"):
				say(`{"error":{"code":-32600,"message":"no rollout found for thread id th2"},"id":%s}`, p.ID)
			case asked == "":
				turns, _ := d.turns.Load().(string)
				say(`{"id":%s,"result":{"thread":{"id":"th1","cwd":"/home/ada/shop","status":{"type":"idle"}},"initialTurnsPage":{"data":[%s]}}}`, p.ID, turns)
			default:
				say(`{"id":%s,"result":{"thread":{"id":"th1","cwd":"/home/ada/shop","status":{"type":"active","activeFlags":["waitingOnUserInput"]}}}}`, p.ID)
				say("%s", asked)
			}
		}
	}
}

// until reads what comes until this method, or a response if it is empty.
func (d *daemon) until(method string) packet {
	d.t.Helper()
	for {
		select {
		case p := <-d.got:
			if p.Method == method && (method != "" || p.Result != nil) {
				return p
			}
		case <-d.ctx.Done():
			d.t.Fatalf("no %q", method)
		}
	}
}

const one = `{"id":"db","header":"Database","question":"Which database?","isOther":true,"isSecret":false,"options":[{"label":"PostgreSQL","description":"Relational"},{"label":"MongoDB","description":"Documents"}]}`

const own = `{"id":"name","header":"Name","question":"Which name?","isOther":false,"isSecret":false,"options":null}`

func request(id int, questions string) string {
	return fmt.Sprintf(`{"method":"item/tool/requestUserInput","id":%d,"params":{"threadId":"th1","turnId":"tu1","itemId":"call_%d","questions":[%s],"isBlocking":false,"autoResolutionMs":null}}`, id, id, questions)
}

// idle ends the turn.
const idle = `{"method":"thread/status/changed","params":{"threadId":"th1","status":{"type":"idle"}}}`

const resolved = `{"method":"serverRequest/resolved","params":{"threadId":"th1","requestId":0},"emittedAtMs":1}`

// watching runs the watcher until the test ends; its log is for after that.
type watching struct {
	desk  *desk.Desk
	log   *bytes.Buffer
	stop  func()
	ended chan struct{}
	asked chan error // receives what became of each question that it put on the desk
}

// asking is a store that tells what became of each question.
type asking struct {
	store.Store
	asked chan error
}

func (s *asking) Ask(ctx context.Context, row store.Row) (store.Row, error) {
	got, err := s.Store.Ask(ctx, row)
	select {
	case s.asked <- err:
	default:
	}
	return got, err
}

func watch(t *testing.T, d *daemon, dir string, edit ...func(*codex.Options)) *watching {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("nobody can tell who is at the other end")
	}
	ctx, stop := context.WithCancel(context.Background())
	w := &watching{log: &bytes.Buffer{}, stop: stop, ended: make(chan struct{}), asked: make(chan error, 10)}
	w.desk = desk.New(&asking{desktest.Store(t, dir), w.asked}, desk.Options{})
	never := func(time.Duration) <-chan time.Time { return nil } // a busy machine stores a question too late
	o := codex.Options{Desk: w.desk, Log: slog.New(slog.NewTextHandler(w.log, nil)), Socket: d.socket, Daemon: os.Getpid(), Version: "1", After: never}
	for _, e := range edit {
		e(&o)
	}
	go func() { defer close(w.ended); codex.Watch(ctx, o) }()
	t.Cleanup(func() { stop(); <-w.ended })
	return w
}

// events is what happens on the desk from now on.
func (w *watching) events(t *testing.T) <-chan desk.Event {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), patience)
	events, err := w.desk.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		for range events {
		}
	})
	return events
}

// opened waits for the one open question.
func (w *watching) opened(t *testing.T) desk.Record {
	t.Helper()
	events := w.events(t)
	for {
		records, err := w.desk.Pending(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(records) == 1 {
			return records[0]
		}
		if _, ok := <-events; !ok {
			t.Fatalf("%d questions are open", len(records))
		}
	}
}

// settled waits for the end of a record that nobody can doubt.
func (w *watching) settled(t *testing.T, events <-chan desk.Event, id string) desk.Record {
	t.Helper()
	for {
		rec, err := w.desk.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if rec.Outcome != nil && !rec.Outcome.Unsettled {
			return rec
		}
		if _, ok := <-events; !ok {
			t.Fatalf("it ended %+v", rec.Outcome)
		}
	}
}

func (d *daemon) say(t *testing.T, conn *websocket.Conn, text string) {
	t.Helper()
	if err := conn.Write(d.ctx, websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func pick(labels ...string) question.Answer {
	return question.Answer{QuestionID: "db", Selected: labels}
}

// What is said here, Codex reads as its own dialog would say it.
func TestAnsweredHere(t *testing.T) {
	for _, tc := range []struct {
		name, questions string
		reply           question.Reply
		want            string
	}{
		{"a choice", one, question.Reply{Answers: []question.Answer{pick("MongoDB")}}, `{"answers":{"db":{"answers":["MongoDB"]}}}`},
		{"a note", one, question.Reply{Answers: []question.Answer{{QuestionID: "db", Selected: []string{"MongoDB"}, Note: "for now"}}}, `{"answers":{"db":{"answers":["MongoDB","user_note: for now"]}}}`},
		{"own words", one, question.Reply{Answers: []question.Answer{{QuestionID: "db", Custom: "SQLite"}}}, `{"answers":{"db":{"answers":["None of the above","user_note: SQLite"]}}}`},
		{"a text", own, question.Reply{Answers: []question.Answer{{QuestionID: "name", Custom: "Shop"}}}, `{"answers":{"name":{"answers":["user_note: Shop"]}}}`},
		{"two, one open", one + "," + own, question.Reply{Answers: []question.Answer{pick("MongoDB")}, Note: "thanks"}, `{"answers":{"db":{"answers":["MongoDB","user_note: thanks"]}}}`},
		{"dismissed", one, question.Reply{Dismissed: true}, `{"answers":{"db":{"answers":["user_note: User dismissed the question without answering. Go on without assuming that any option was chosen."]}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := startDaemon(t)
			d.asked.Store(request(0, tc.questions))
			w := watch(t, d, t.TempDir())
			conn := <-d.conn
			rec := w.opened(t)
			if by := rec.Asker; by.Client != "codex" || by.Directory != "/home/ada/shop" || !by.Mirrored() || by.PID != os.Getpid() {
				t.Errorf("asked by %+v", by)
			}
			events := w.events(t)
			if _, err := w.desk.Reply(t.Context(), rec.ID, tc.reply, desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
				t.Fatal(err)
			}
			if p := d.until(""); string(p.ID) != "0" || string(p.Result) != tc.want {
				t.Errorf("it said %s to %s", p.Result, p.ID)
			}
			d.say(t, conn, resolved)
			d.say(t, conn, idle)
			d.until("thread/unsubscribe")
			if rec = w.settled(t, events, rec.ID); rec.Outcome.Surface != "web" || rec.Later != nil {
				t.Errorf("it ended %+v, later %+v", rec.Outcome, rec.Later)
			}
		})
	}
}

// What Codex asks later, and its human answers there: what they said nobody tells.
func TestAnsweredThere(t *testing.T) {
	d := startDaemon(t)
	w := watch(t, d, t.TempDir())
	conn := <-d.conn
	d.until("thread/unsubscribe") // it asks nothing
	d.asked.Store(request(0, one))
	d.say(t, conn, `{"method":"thread/status/changed","params":{"threadId":"th1","status":{"type":"active","activeFlags":["waitingOnUserInput"]}}}`)
	rec, events := w.opened(t), w.events(t)
	d.say(t, conn, resolved)
	if rec = w.settled(t, events, rec.ID); rec.State != desk.Cancelled || rec.Outcome.Surface != "codex" {
		t.Errorf("it ended %+v", rec.Outcome)
	}
}

// A thread that asks two things at once is left after the second, or nobody would
// tell of its end.
func TestTwoAtOnce(t *testing.T) {
	d := startDaemon(t)
	d.asked.Store(request(0, one))
	watch(t, d, t.TempDir())
	conn := <-d.conn
	d.until("thread/resume")
	d.until("thread/resume") // of the other thread: the first question has been asked
	d.say(t, conn, request(1, own))
	d.asked.Store(request(1, own)) // what is still open
	d.say(t, conn, resolved)
	waits := `{"method":"thread/status/changed","params":{"threadId":"th1","status":{"type":"active","activeFlags":["waitingOnUserInput"]}}}`
	d.say(t, conn, waits)
	for method := ""; method != "thread/resume"; {
		select {
		case p := <-d.got:
			method = p.Method
		case <-d.ctx.Done():
			t.Fatal("it is not looked at again")
		}
		if method == "thread/unsubscribe" {
			t.Fatal("it was left after the first")
		}
	}
	d.say(t, conn, strings.Replace(resolved, `"requestId":0`, `"requestId":1`, 1))
	d.say(t, conn, idle)
	d.until("thread/unsubscribe")
}

// Several servers of one daemon, one for each thread: the question stands there
// once, and ends with its server.
func TestAskedOnce(t *testing.T) {
	d := startDaemon(t)
	d.asked.Store(request(0, one))
	dir := t.TempDir()
	first, second := watch(t, d, dir), watch(t, d, dir)
	<-d.conn
	<-d.conn
	rec := first.opened(t)
	var both sync.WaitGroup
	for _, w := range []*watching{first, second} {
		both.Go(func() { w.stop(); <-w.ended })
	}
	both.Wait()
	past := 0
	for got, err := range first.desk.History(t.Context(), desk.Query{}) {
		if past++; err != nil || got.ID != rec.ID || got.State != desk.Cancelled {
			t.Errorf("there was %+v, %v", got, err)
		}
	}
	if past != 1 {
		t.Errorf("it was asked %d times", past)
	}
}

// Secrets, approvals and questions that are not as we know them stay Codex's.
func TestLeftAlone(t *testing.T) {
	for name, asked := range map[string]string{
		"a secret":          request(0, strings.Replace(one, `"isSecret":false`, `"isSecret":true`, 1)),
		"one of two secret": request(0, own+","+strings.Replace(one, `"isSecret":false`, `"isSecret":true`, 1)),
		"an unknown member": request(0, strings.Replace(one, `"isOther"`, `"weight":1,"isOther"`, 1)),
		"an approval":       `{"method":"item/commandExecution/requestApproval","id":0,"params":{"threadId":"th1","command":"rm"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			d := startDaemon(t)
			d.asked.Store(asked)
			w := watch(t, d, t.TempDir())
			conn := <-d.conn
			d.until("thread/resume")
			d.until("thread/resume") // of the other thread: the question has been asked
			if !strings.Contains(asked, "requestApproval") {
				d.say(t, conn, resolved)
				d.say(t, conn, idle)
				d.until("thread/unsubscribe") // or we would be told of all that the thread does
			}
			d.asked.Store(request(1, one)) // what comes after it is there
			d.say(t, conn, `{"method":"thread/status/changed","params":{"threadId":"th1","status":{"type":"active","activeFlags":["waitingOnUserInput"]}}}`)
			if rec := w.opened(t); !strings.HasSuffix(fmt.Sprint(rec.Metadata["request"]), "call_1") {
				t.Errorf("it asks %+v", rec.Set)
			}
			w.stop()
			<-w.ended
			if w.log.Len() > 0 {
				t.Errorf("it logs %s", w.log)
			}
		})
	}
}

// A protocol that has changed ends it, with one line in the log; no daemon, and
// another's, without a word.
func TestEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		said string
		line string
	}{
		"no JSON":            {"hello", "its protocol is not the one known here"},
		"another shape":      {`{"method":"item/tool/requestUserInput","id":0,"params":{"thread":"th1"}}`, "its protocol is not the one known here"},
		"another end":        {`{"method":"serverRequest/resolved","params":{}}`, "its protocol is not the one known here"},
		"refused":            {`{"id":1,"error":{"code":-32600,"message":"x"}}`, "its protocol is not the one known here"},
		"the daemon's end":   {"", ""},
		"of another":         {"", ""},
		"there is no socket": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := startDaemon(t)
			w := watch(t, d, t.TempDir(), func(o *codex.Options) {
				switch name {
				case "of another":
					o.Daemon = 1
				case "there is no socket":
					o.Socket += "x"
				}
			})
			if name != "of another" && name != "there is no socket" {
				conn := <-d.conn
				d.until("thread/loaded/list")
				if name == "the daemon's end" {
					_ = conn.Close(websocket.StatusGoingAway, "")
				} else {
					d.say(t, conn, tc.said)
				}
			}
			select {
			case <-w.ended:
			case <-d.ctx.Done():
				t.Fatal("it goes on")
			}
			if text := w.log.String(); strings.Count(text, "\n") != min(len(tc.line), 1) || !strings.Contains(text, tc.line) {
				t.Errorf("it logs %q", text)
			}
		})
	}
}
