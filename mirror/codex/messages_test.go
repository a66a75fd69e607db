package codex_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// replay is a daemon that repeats a session recorded from the real one (version 0.169,
// by the tests in e2e/hosts): it sends its lines in order, and before each that we had
// sent then waits until we send the same again. After a question it waits for shown.
func replay(t *testing.T, name string, shown <-chan struct{}) *daemon {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "codex")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	ctx, stop := context.WithTimeout(context.Background(), patience)
	d := &daemon{t: t, socket: filepath.Join(dir, "s"), ctx: ctx, conn: make(chan *websocket.Conn, 1)}
	listener, err := net.Listen("unix", d.socket)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	server := &http.Server{ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.CloseNow() }()
		if err := repeat(ctx, conn, strings.Split(strings.TrimSpace(string(data)), "\n"), shown); err != nil {
			t.Error(err)
		}
		d.conn <- conn
		_, _, _ = conn.Read(ctx) // until the end of the test
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { stop(); _ = server.Close(); <-done })
	return d
}

func repeat(ctx context.Context, conn *websocket.Conn, lines []string, shown <-chan struct{}) error {
	ids := map[string]json.RawMessage{} // ours now, by those of then
	var sent []map[string]json.RawMessage
	same := func(a, b json.RawMessage) bool {
		var x, y any
		_, _ = json.Unmarshal(a, &x), json.Unmarshal(b, &y)
		return reflect.DeepEqual(x, y)
	}
	for _, line := range lines {
		var then map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line[2:]), &then); err != nil {
			return err
		}
		if line[0] == '<' {
			if now, ok := ids[string(then["id"])]; ok && then["method"] == nil {
				then["id"] = now
			}
			data, _ := json.Marshal(then)
			if err := conn.Write(ctx, websocket.MessageText, data); err != nil {
				return err
			}
			if strings.Contains(line, `"delivery":"async"`) {
				select {
				case <-shown:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			continue
		}
		for {
			i := slices.IndexFunc(sent, func(now map[string]json.RawMessage) bool {
				return same(now["method"], then["method"]) && same(now["params"], then["params"])
			})
			if i >= 0 {
				ids[string(then["id"])] = sent[i]["id"]
				sent = slices.Delete(sent, i, i+1)
				break
			}
			var now map[string]json.RawMessage
			_, data, err := conn.Read(ctx)
			if err == nil {
				err = json.Unmarshal(data, &now)
			}
			if err != nil {
				return fmt.Errorf("it does not send %s: %w; but %s", line, err, sent)
			}
			sent = append(sent, now)
		}
	}
	for _, now := range sent {
		if string(now["method"]) == `"turn/start"` {
			return fmt.Errorf("it sends %s", now["params"])
		}
	}
	return nil
}

// A question in a message of the agent's is answered here, there, after its turn, and
// ends when the user writes something else to Codex.
func TestMessages(t *testing.T) {
	for _, tc := range []struct {
		session string
		asks    []string
		here    map[string]question.Answer // the replies on the desk, by question
		surface string                     // of the end
		answers map[string]string
	}{
		{"here", []string{"Which database?"}, map[string]question.Answer{"Which database?": {QuestionID: "q1", Selected: []string{"MongoDB"}}}, "web", map[string]string{"Which database?": "MongoDB"}},
		{"there", []string{"Which database?", "Which name?"}, nil, "codex", map[string]string{"Which database?": "MongoDB", "Which name?": "Shop"}},
		{"after_the_turn", []string{"Which database?", "Which name?"}, map[string]question.Answer{"Which database?": {QuestionID: "q1", Selected: []string{"PostgreSQL"}},
			"Which name?": {QuestionID: "q1", Custom: "Shop"}}, "web", map[string]string{"Which database?": "PostgreSQL", "Which name?": "Shop"}},
		{"something_else", []string{"Which database?"}, nil, "codex", map[string]string{"Which database?": ""}},
	} {
		t.Run(tc.session, func(t *testing.T) {
			t.Parallel()
			shown := make(chan struct{})
			d := replay(t, tc.session+".txt", shown)
			w := watch(t, d, t.TempDir())
			events := w.events(t)
			ids := map[string]string{}
			for open := w.events(t); len(ids) < len(tc.asks); {
				records, err := w.desk.Pending(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, rec := range records {
					text := rec.Questions[0].Text
					if !slices.Contains(tc.asks, text) || rec.Asker.Directory != "/home/ada/shop" || !rec.Asker.Mirrored() {
						t.Fatalf("%q of %+v", text, rec.Asker)
					}
					ids[text] = rec.ID
				}
				if len(ids) < len(tc.asks) {
					if _, ok := <-open; !ok {
						t.Fatal("it does not ask")
					}
				}
			}
			close(shown)
			for _, text := range tc.asks { // one after the other, as when it was recorded
				rec, err := w.desk.Get(t.Context(), ids[text])
				if err != nil {
					t.Fatal(err)
				}
				if answer, ok := tc.here[text]; ok {
					if _, err := w.desk.Reply(t.Context(), rec.ID, question.Reply{Answers: []question.Answer{answer}}, desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
						t.Fatal(err)
					}
				}
				rec = w.settled(t, events, rec.ID)
				got := ""
				if rec.Reply() != nil {
					got = rec.Asked()[0].Text()
				}
				if rec.Outcome.Surface != tc.surface || rec.Later != nil || got != tc.answers[text] {
					t.Errorf("%s: it ended %+v, %q", text, rec.Outcome, got)
				}
			}
			<-d.conn // the whole session is repeated
		})
	}
}

func agentMessage(id string) string {
	return fmt.Sprintf(`{"type":"agentMessage","id":%q,"delivery":"async","questions":[{"title":"Which database?","options":["PostgreSQL","MongoDB"]}]}`, id)
}

func userMessage(client, id, answer string) string {
	text, _ := json.Marshal(fmt.Sprintf("<send_user_message_question_reply>\n[{\"answer\":%q,\"question\":\"Which database?\",\"questionItemId\":\"[\\\"request_user_input_async\\\",\\\"%s\\\",0]\"}]\n</send_user_message_question_reply>", answer, id))
	return fmt.Sprintf(`{"type":"userMessage","id":"u","clientId":%q,"content":[{"type":"text","text":%s}]}`, client, text)
}

func completed(item string) string {
	return fmt.Sprintf(`{"method":"item/completed","params":{"threadId":"th1","turnId":"tu1","item":%s}}`, item)
}

// Of two answers that reach Codex the first counts; an answer that it refuses is not
// delivered; an answer to another question ends nothing.
func TestMessageAnswers(t *testing.T) {
	const ours = `th1 tu1 ["request_user_input_async","c1",0]`
	for name, tc := range map[string]struct {
		said    []string // of Codex, after our answer, MongoDB
		surface string
		later   bool
	}{
		"ours first":     {[]string{userMessage(ours, "c1", "MongoDB"), userMessage("x", "c1", "PostgreSQL")}, "web", false},
		"theirs first":   {[]string{userMessage("x", "c1", "PostgreSQL"), userMessage(ours, "c1", "MongoDB")}, "codex", true},
		"to another one": {[]string{userMessage("x", "c2", "PostgreSQL"), userMessage(ours, "c1", "MongoDB")}, "web", false},
		"refused":        {nil, "codex", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := startDaemon(t)
			w := watch(t, d, t.TempDir())
			conn := <-d.conn
			d.until("thread/unsubscribe")
			d.say(t, conn, completed(agentMessage("c1")))
			rec, events := w.opened(t), w.events(t)
			if _, err := w.desk.Reply(t.Context(), rec.ID, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"MongoDB"}}}}, desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
				t.Fatal(err)
			}
			p := d.until("turn/start")
			if !strings.Contains(string(p.Params), "MongoDB") {
				t.Errorf("it sends %s", p.Params)
			}
			for _, item := range tc.said {
				d.say(t, conn, completed(item))
			}
			if tc.said == nil {
				d.say(t, conn, fmt.Sprintf(`{"id":%s,"error":{"code":-32600,"message":"no thread"}}`, p.ID))
			}
			if rec = w.settled(t, events, rec.ID); rec.Outcome.Surface != tc.surface || (rec.Later != nil) != tc.later {
				t.Errorf("it ended %+v, later %+v", rec.Outcome, rec.Later)
			}
		})
	}
}

// A server that starts while Codex holds an answer back does not ask again, and one that
// mirrors nothing settles nothing.
func TestMessageAskedOnce(t *testing.T) {
	d := startDaemon(t)
	dir := t.TempDir()
	first := watch(t, d, dir)
	conn := <-d.conn
	d.until("thread/unsubscribe")
	d.say(t, conn, completed(agentMessage("c1")))
	rec := first.opened(t)
	if _, err := first.desk.Reply(t.Context(), rec.ID, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"MongoDB"}}}}, desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	d.until("turn/start")
	second := watch(t, d, dir)
	late := <-d.conn
	d.until("thread/unsubscribe")
	events := second.events(t)
	d.say(t, late, completed(agentMessage("c1")))
	d.say(t, late, completed(agentMessage("c2"))) // after it
	next := second.opened(t)
	if !strings.Contains(fmt.Sprint(next.Metadata["request"]), "c2") {
		t.Errorf("it asks %v again", next.Metadata["request"])
	}
	d.say(t, late, completed(userMessage("x", "c1", "PostgreSQL"))) // it has not seen ours
	d.say(t, late, completed(userMessage("x", "c2", "PostgreSQL")))
	second.settled(t, events, next.ID)
	second.stop()
	<-second.ended
	asked := 0
	for _, err := range first.desk.History(t.Context(), desk.Query{}) {
		if asked++; err != nil {
			t.Fatal(err)
		}
	}
	if asked != 2 {
		t.Errorf("it asks %d times", asked)
	}
	if rec, err := first.desk.Get(t.Context(), rec.ID); err != nil || !rec.Outcome.Unsettled {
		t.Errorf("it ended %+v, %v", rec.Outcome, err)
	}
}

// A server that starts asks what the latest turn leaves open: not what was answered, and
// not what came before something else that the user wrote.
func TestMessageBefore(t *testing.T) {
	d := startDaemon(t)
	says := `{"type":"userMessage","id":"u","clientId":null,"content":[{"type":"text","text":"Go on"}]}`
	d.turns.Store(fmt.Sprintf(`{"id":"tu1","items":[%s,%s,{"type":"reasoning","content":["x"]},%s,%s,%s]}`,
		agentMessage("c1"), says, agentMessage("c2"), agentMessage("c3"), userMessage("x", "c2", "MongoDB")))
	w := watch(t, d, t.TempDir())
	conn := <-d.conn
	rec, events := w.opened(t), w.events(t)
	if got := rec.Metadata["request"]; got != `th1 tu1 ["request_user_input_async","c3",0]` {
		t.Errorf("it asks %v", got)
	}
	d.say(t, conn, `{"method":"thread/reverted","params":{"threadId":"th1"}}`)
	if rec = w.settled(t, events, rec.ID); rec.State != desk.Cancelled {
		t.Errorf("it ended %+v", rec.Outcome)
	}
	d.until("thread/unsubscribe")
}

// Another server of the daemon's does not end what this one has answered.
func TestOneSettles(t *testing.T) {
	d := startDaemon(t)
	d.asked.Store(request(0, one))
	dir := t.TempDir()
	first, second := watch(t, d, dir), watch(t, d, dir)
	conns := []*websocket.Conn{<-d.conn, <-d.conn}
	rec, events := first.opened(t), first.events(t)
	for range 4 {
		d.until("thread/resume")
	}
	for _, w := range []*watching{first, second} {
		<-w.asked // from now on each knows whose question it is
	}
	if _, err := second.desk.Reply(t.Context(), rec.ID, question.Reply{Answers: []question.Answer{pick("MongoDB")}}, desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	d.until("")
	for _, conn := range conns {
		d.say(t, conn, resolved)
		d.say(t, conn, idle)
	}
	for range 2 {
		d.until("thread/unsubscribe")
	}
	if rec = first.settled(t, events, rec.ID); rec.Outcome.Surface != "web" || rec.Later != nil {
		t.Errorf("it ended %+v, later %+v", rec.Outcome, rec.Later)
	}
}
