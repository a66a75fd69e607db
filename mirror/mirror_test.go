package mirror_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
	"mcp-askuser/mirror"
	"mcp-askuser/question"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

const one = `{"question":"Which database?","header":"Database","options":[{"label":"PostgreSQL","description":"Relational"},{"label":"MongoDB","description":"Documents"}],"multiSelect":false}`

// claude is an event of Claude Code as it was recorded; more are its further
// members.
func claude(name, session string, more ...string) string {
	return fmt.Sprintf(`{"session_id":%q,"transcript_path":"/home/ada/.claude/projects/shop/x.jsonl","cwd":"/home/ada/shop","prompt_id":"7e1b","permission_mode":"default","hook_event_name":%q%s}`,
		session, name, strings.Join(append([]string{""}, more...), ","))
}

func tool(questions string) string {
	return `"tool_name":"AskUserQuestion","tool_input":{"questions":[` + questions + `]}`
}

func request(session, questions string) string {
	return claude("PermissionRequest", session, tool(questions))
}

// used is the event of a dialog that was answered so.
func used(session, questions, response string) string {
	return claude("PostToolUse", session, tool(questions), `"tool_use_id":"toolu_01","tool_response":`+response)
}

// beside is a hook that stands beside a dialog.
type beside struct {
	t    *testing.T
	desk *desk.Desk
	read *os.File // what the host reads
	stop context.CancelCauseFunc
	done chan struct{}
}

func attended(name string) string {
	return map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": "1"}[name]
}

func never(time.Duration) <-chan time.Time { return nil }

func host(t testing.TB, name string) mirror.Host {
	h, ok := mirror.ByName(name)
	if !ok {
		t.Fatal(name)
	}
	return h
}

func openDesk(t testing.TB, dir string) *desk.Desk {
	t.Helper()
	store, err := spool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return desk.New(store, desk.Options{})
}

// start runs a hook for an event; edit may change how.
func start(t *testing.T, dir, event string, edit ...func(*mirror.Options)) *beside {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	b := &beside{t: t, desk: openDesk(t, dir), read: read, stop: stop, done: make(chan struct{})}
	o := mirror.Options{Host: host(t, "claude-code"), Desk: openDesk(t, dir), In: strings.NewReader(event), Out: write, Getenv: attended, After: never}
	for _, e := range edit {
		e(&o)
	}
	go func() {
		defer close(b.done)
		defer write.Close()
		mirror.Run(ctx, o)
	}()
	t.Cleanup(func() { _ = read.Close(); stop(mirror.ErrGone); <-b.done })
	return b
}

// printed waits for the end of the hook and returns what it has printed.
func (b *beside) printed() string {
	b.t.Helper()
	out := make(chan string, 1)
	go func() {
		data, _ := io.ReadAll(b.read)
		out <- string(data)
	}()
	select {
	case text := <-out:
		<-b.done
		return text
	case <-time.After(patience):
		b.t.Fatal("the hook does not end")
		return ""
	}
}

// opened waits until so many questions are open, the oldest first.
func opened(t *testing.T, d *desk.Desk, want int) []desk.Record {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	events, err := d.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for {
		records, err := d.Pending(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(records) == want {
			return records
		}
		if _, ok := <-events; !ok {
			t.Fatalf("%d questions are open, want %d", len(records), want)
		}
	}
}

func (b *beside) record() desk.Record { return opened(b.t, b.desk, 1)[0] }

func chosen(id string, labels ...string) question.Answer {
	return question.Answer{QuestionID: id, Selected: labels}
}

func (b *beside) reply(rec desk.Record, r question.Reply) {
	b.t.Helper()
	if _, err := b.desk.Reply(b.t.Context(), rec.ID, r, "web"); err != nil {
		b.t.Fatal(err)
	}
}

func get(t *testing.T, d *desk.Desk, id string) desk.Record {
	t.Helper()
	rec, err := d.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// decision is what the host reads.
type decision struct {
	Output struct {
		Event    string `json:"hookEventName"`
		Decision struct {
			Behavior string                     `json:"behavior"`
			Message  string                     `json:"message"`
			Updated  map[string]json.RawMessage `json:"updatedInput"`
		} `json:"decision"`
	} `json:"hookSpecificOutput"`
}

const several = `{"question":"Which features?","header":"Features","options":[{"label":"Logs, metrics","description":""},{"label":"Cache","description":""},{"label":"Say \"hi\"","description":""}],"multiSelect":true}`

// What a human replies on the desk is what Claude Code reads, and what it says
// in its turn is what it took.
func TestAnsweredHere(t *testing.T) {
	for _, tc := range []struct {
		name      string
		questions string
		reply     question.Reply
		answers   string // as printed; empty for a word to deny
		also      string
	}{
		{"a choice", one, question.Reply{Answers: []question.Answer{chosen("q1", "MongoDB")}}, `{"Which database?":"MongoDB"}`, ""},
		{"free text", one, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "SQLite, <b>in memory</b>"}}}, `{"Which database?":"SQLite, <b>in memory</b>"}`, ""},
		{"free text that is a label", one, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "MongoDB"}}}, `{"Which database?":"MongoDB"}`, ""},
		{"several", several, question.Reply{Answers: []question.Answer{chosen("q1", "Cache", "Logs, metrics")}}, `{"Which features?":"\"Logs, metrics\", Cache"}`, ""},
		{"several and a text", several, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"Cache", `Say "hi"`}, Custom: "x, y"}}}, `{"Which features?":"Cache, Say \"hi\", \"x, y\""}`, ""},
		{"a note", one, question.Reply{Answers: []question.Answer{chosen("q1", "MongoDB")}, Note: "for now"}, `{"Which database?":"MongoDB"}`, `{"Which database?":{"notes":"for now"}}`},
		{"two, one left open", one + "," + several, question.Reply{Answers: []question.Answer{chosen("q2", "Cache")}}, `{"Which features?":"Cache"}`, ""},
		{"dismissed", one, question.Reply{Dismissed: true, Reason: "later"}, "", "Their reason: later"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			b := start(t, dir, request("s1", tc.questions))
			rec := b.record()
			if by := rec.Asker; by.Client != "claude-code" || by.Via != desk.ViaHook || by.Directory != "/home/ada/shop" || !rec.Attended {
				t.Errorf("asked by %+v, attended %v", by, rec.Attended)
			}
			b.reply(rec, tc.reply)
			text := b.printed()
			var got decision
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatalf("%v: %q", err, text)
			}
			d := got.Output.Decision
			if tc.answers == "" {
				if d.Behavior != "deny" || !strings.Contains(d.Message, tc.also) || d.Updated != nil {
					t.Fatalf("printed %s", text)
				}
			} else if d.Behavior != "allow" || string(d.Updated["answers"]) != tc.answers || string(d.Updated["annotations"]) != tc.also {
				t.Fatalf("printed %s", text)
			}
			if tc.answers != "" && string(d.Updated["questions"]) != "["+tc.questions+"]" {
				t.Errorf("the questions have changed: %s", d.Updated["questions"])
			}
			if rec = get(t, b.desk, rec.ID); !rec.Outcome.Unsettled {
				t.Errorf("it counts as delivered: %+v", rec.Outcome)
			}
			// The host tells what it took.
			end := claude("Stop", "s1")
			if tc.answers != "" {
				end = used("s1", tc.questions, fmt.Sprintf(`{"questions":[%s],"answers":%s,"annotations":%s}`, tc.questions, tc.answers, max(tc.also, "{}")))
			}
			if text := start(t, dir, end).printed(); text != "" {
				t.Errorf("the end printed %q", text)
			}
			if rec = get(t, b.desk, rec.ID); rec.Outcome.Unsettled || rec.Later != nil || rec.Outcome.Surface != "web" {
				t.Errorf("it ended %+v, later %+v", rec.Outcome, rec.Later)
			}
		})
	}
}

// How a dialog ends in Claude Code, the record ends, and nothing is printed.
func TestEndedThere(t *testing.T) {
	for _, tc := range []struct {
		name   string
		end    func(t *testing.T, b *beside, dir string)
		status desk.Status
		where  string
		said   string
	}{
		{"answered", event(used("s1", one, `{"questions":[`+one+`],"answers":{"Which database?":"PostgreSQL"}}`)), desk.Answered, "claude-code", "PostgreSQL"},
		{"own words", event(used("s1", one, `{"answers":{"Which database?":"none, please"}}`)), desk.Answered, "claude-code", "none, please"},
		{"notes alone", event(used("s1", one, `{"answers":{"Which database?":"(notes only)"},"annotations":{"Which database?":{"notes":"see the wiki"}}}`)), desk.Answered, "claude-code", "see the wiki"},
		{"a message instead", event(used("s1", one, `{"answers":{},"response":"what is this?"}`)), desk.Answered, "claude-code", "what is this?"},
		{"left open", event(used("s1", one, `{"answers":{}}`)), desk.Dismissed, "claude-code", ""},
		{"nobody there", event(used("s1", one, `{"answers":{"Which database?":"PostgreSQL"},"afkTimeoutMs":60000}`)), desk.Timeout, "claude-code", ""},
		{"escape", func(_ *testing.T, b *beside, _ string) { b.stop(mirror.ErrClosed) }, desk.Dismissed, "claude-code", ""},
		{"the terminal closed", func(_ *testing.T, b *beside, _ string) { b.stop(mirror.ErrGone) }, desk.Cancelled, "claude-code", ""},
		{"to be discussed", event(claude("Stop", "s1")), desk.Dismissed, "claude-code", ""},
		{"to be discussed, told with the batch", event(claude("PostToolBatch", "s1", `"tool_calls":[{"tool_name":"Bash","tool_input":{"command":"ls"}},{`+tool(one)+`,"tool_use_id":"t"}]`)), desk.Dismissed, "claude-code", ""},
		{"the session ended", event(claude("SessionEnd", "s1", `"reason":"prompt_input_exit"`)), desk.Cancelled, "claude-code", ""},
		{"killed", func(_ *testing.T, b *beside, _ string) { _ = b.read.Close() }, desk.Cancelled, "claude-code", ""},
		{"withdrawn here", func(t *testing.T, b *beside, _ string) {
			if _, err := b.desk.Close(t.Context(), b.record().ID, desk.Outcome{Status: desk.Cancelled, Reason: "enough", Surface: "shell"}); err != nil {
				t.Fatal(err)
			}
		}, desk.Cancelled, "shell", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			b := start(t, dir, request("s1", one))
			rec := b.record()
			tc.end(t, b, dir)
			if tc.name == "killed" {
				<-b.done
			} else if text := b.printed(); text != "" {
				t.Errorf("printed %q", text)
			}
			rec = get(t, b.desk, rec.ID)
			said := ""
			for _, x := range rec.Asked() {
				said += x.Text()
			}
			if o := rec.Outcome; o.Status != tc.status || o.Surface != tc.where || said != tc.said || o.Unsettled {
				t.Errorf("it ended %+v with %q", o, said)
			}
		})
	}
}

// event has the host tell something.
func event(text string) func(*testing.T, *beside, string) {
	return func(t *testing.T, _ *beside, dir string) {
		if out := start(t, dir, text).printed(); out != "" {
			t.Errorf("printed %q", out)
		}
	}
}

// What is no question of the human's own dialog, or is not understood to the
// last member, is left alone.
func TestLeftAlone(t *testing.T) {
	for name, text := range map[string]string{
		"a subagent":             claude("PermissionRequest", "s1", tool(one), `"agent_id":"a1"`),
		"another tool":           claude("PermissionRequest", "s1", `"tool_name":"Bash","tool_input":{"command":"ls"}`),
		"our own tool":           claude("PermissionRequest", "s1", `"tool_name":"mcp__askuser__ask_user_question","tool_input":{"questions":[`+one+`]}`),
		"another event":          claude("PreToolUse", "s1", tool(one)),
		"no session":             request("", one),
		"no questions":           request("s1", ""),
		"equal questions":        request("s1", one+","+one),
		"equal labels":           request("s1", strings.Replace(one, "MongoDB", "PostgreSQL", 1)),
		"a label that is empty":  request("s1", strings.Replace(one, "MongoDB", "", 1)),
		"another kind":           request("s1", strings.Replace(one, `"header"`, `"kind":"number","min":1,"max":9,"header"`, 1)),
		"an unknown member":      request("s1", strings.Replace(one, `"header"`, `"weight":1,"header"`, 1)),
		"an unknown option":      request("s1", strings.Replace(one, `"description"`, `"score":1,"description"`, 1)),
		"an unknown input":       claude("PermissionRequest", "s1", `"tool_name":"AskUserQuestion","tool_input":{"title":"x","questions":[`+one+`]}`),
		"answered already":       claude("PermissionRequest", "s1", `"tool_name":"AskUserQuestion","tool_input":{"answers":{"Which database?":"MongoDB"},"questions":[`+one+`]}`),
		"no JSON":                "{",
		"nothing":                "",
		"a list":                 "[]",
		"an end without a start": used("s1", one, `{"answers":{}}`),
		"an end of nothing":      claude("Stop", "s9"),
		"too much":               request("s1", strings.Replace(one, "Relational", strings.Repeat("x", 5<<20), 1)),
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			if text := start(t, dir, text).printed(); text != "" {
				t.Errorf("printed %q", text)
			}
			if _, err := os.Stat(dir); err == nil {
				t.Error("something was stored")
			}
		})
	}
	t.Run("nobody sits there", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "store")
		b := start(t, dir, request("s1", one), func(o *mirror.Options) { o.Getenv = func(string) string { return "" } })
		if text := b.printed(); text != "" {
			t.Errorf("printed %q", text)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("something was stored")
		}
	})
}

// Two dialogs of one session are told apart, and answered in any order.
func TestTwoAtOnce(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir, request("s1", one))
	a := first.record()
	second := start(t, dir, request("s1", several))
	b := opened(t, second.desk, 2)[1]
	event(used("s2", one, `{"answers":{"Which database?":"MongoDB"}}`))(t, nil, dir) // another session's
	second.reply(b, question.Reply{Answers: []question.Answer{chosen("q1", "Cache")}})
	if text := second.printed(); !strings.Contains(text, `"Cache"`) {
		t.Errorf("the second printed %q", text)
	}
	if rec := get(t, first.desk, a.ID); rec.Outcome != nil {
		t.Errorf("the first has ended: %+v", rec.Outcome)
	}
	event(used("s1", one, `{"answers":{"Which database?":"MongoDB"}}`))(t, nil, dir)
	if text := first.printed(); text != "" {
		t.Errorf("the first printed %q", text)
	}
}

// The same question, twice: the end of one is not taken for the other's.
func TestTheSameTwice(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir, request("s1", one))
	a := first.record()
	second := start(t, dir, request("s1", one))
	b := opened(t, second.desk, 2)[1]
	first.reply(a, question.Reply{Answers: []question.Answer{chosen("q1", "MongoDB")}})
	_ = first.printed()
	event(used("s1", one, `{"answers":{"Which database?":"MongoDB"}}`))(t, nil, dir)
	if rec := get(t, first.desk, a.ID); rec.Outcome.Unsettled {
		t.Errorf("the first is not settled: %+v", rec.Outcome)
	}
	if rec := get(t, first.desk, b.ID); rec.Outcome != nil {
		t.Errorf("the second has ended: %+v", rec.Outcome)
	}
}

// struck is a clock that strikes for one duration, and never for any other.
func struck(at time.Duration) func(time.Duration) <-chan time.Time {
	return func(d time.Duration) <-chan time.Time {
		if d != at {
			return nil
		}
		c := make(chan time.Time, 1)
		c <- time.Now()
		return c
	}
}

// Five seconds before the host stops waiting the question is withdrawn here.
func TestExpiry(t *testing.T) {
	dir := t.TempDir()
	b := start(t, dir, request("s1", one), func(o *mirror.Options) {
		o.Limit, o.After = time.Hour, struck(time.Hour-5*time.Second)
	})
	if text := b.printed(); text != "" {
		t.Errorf("printed %q", text)
	}
	for rec, err := range b.desk.History(t.Context(), desk.Query{}) {
		if err != nil || rec.State != desk.Cancelled {
			t.Errorf("it ended %+v, %v", rec.Outcome, err)
		}
		return
	}
	t.Error("there is no record")
}

// The human is told after six seconds, of a question that is still open.
func TestNotified(t *testing.T) {
	told := make(chan desk.Record, 1)
	b := start(t, t.TempDir(), request("s1", one), func(o *mirror.Options) {
		o.After = struck(6 * time.Second)
		o.Notify = func(ctx context.Context, rec desk.Record) {
			told <- rec
			<-ctx.Done()
		}
	})
	rec := b.record()
	if got := <-told; got.ID != rec.ID {
		t.Errorf("told of %s", got.ID)
	}
	b.stop(mirror.ErrClosed)
	_ = b.printed()
}

// unwilling is a store that does not take documents, or takes its time.
type unwilling struct {
	desk.Store
	create func() error
}

func (s *unwilling) Create(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	if kind == desk.KindPending {
		if err := s.create(); err != nil {
			return err
		}
	}
	return s.Store.Create(ctx, kind, id, data)
}

// What cannot be stored at once is not mirrored.
func TestStore(t *testing.T) {
	slow := make(chan struct{})
	for name, tc := range map[string]struct {
		create func() error
		after  func(time.Duration) <-chan time.Time
		stored bool
	}{
		"full":   {func() error { return syscall.ENOSPC }, never, false},
		"broken": {func() error { panic("broken") }, struck(200 * time.Millisecond), false},
		"slow": {func() error { <-slow; return nil }, func(d time.Duration) <-chan time.Time {
			if d != 200*time.Millisecond {
				return nil
			}
			return time.After(0)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			b := start(t, dir, request("s1", one), func(o *mirror.Options) {
				store, err := spool.Open(dir)
				if err != nil {
					t.Fatal(err)
				}
				o.Desk = desk.New(&unwilling{store, tc.create}, desk.Options{})
				o.After = tc.after
				if name == "broken" {
					o.After = func(time.Duration) <-chan time.Time { return time.After(0) }
					o.Limit = time.Hour
				}
			})
			if tc.stored {
				close(slow)
			}
			if text := b.printed(); text != "" {
				t.Errorf("printed %q", text)
			}
			if open, err := b.desk.Pending(t.Context()); err != nil || len(open) != 0 {
				t.Errorf("open are %v, %v", open, err)
			}
		})
	}
}

// Invariant: however the dialog and the desk meet, there is one outcome, the one
// that the model has; and whoever was overruled is told.
func TestRace(t *testing.T) {
	const rounds = 300
	dir := t.TempDir()
	here := openDesk(t, dir)
	var wins [2]int
	for i := range rounds {
		session := fmt.Sprintf("s%d", i)
		b := start(t, dir, request(session, one))
		rec := b.record()
		// The host takes the first that it sees: its own dialog's answer, or a
		// line on the pipe.
		answer := "PostgreSQL"
		var replied error
		var both sync.WaitGroup
		pressed := make(chan struct{})
		if i%3 == 0 {
			close(pressed)
		} else {
			time.AfterFunc(time.Duration(rand.IntN(8000))*time.Microsecond, func() { close(pressed) })
		}
		both.Go(func() {
			_, replied = here.Reply(t.Context(), rec.ID, question.Reply{Answers: []question.Answer{chosen("q1", "MongoDB")}}, "web")
		})
		line := make(chan string, 1)
		both.Go(func() { line <- b.printed() })
		select {
		case <-pressed:
		case text := <-line:
			line <- text
			if strings.Contains(text, "MongoDB") {
				answer = "MongoDB"
			}
		}
		event(used(session, one, `{"answers":{"Which database?":"`+answer+`"}}`))(t, nil, dir)
		both.Wait()
		got := get(t, here, rec.ID)
		if said := got.Asked()[0].Text(); said != answer || got.Outcome.Unsettled {
			t.Fatalf("%d: the model has %s, the record %s (%+v)", i, answer, said, got.Outcome)
		}
		closed, late := errors.AsType[*desk.ClosedError](replied)
		switch {
		case answer == "MongoDB":
			wins[1]++
			if replied != nil || got.Later != nil {
				t.Fatalf("%d: the winner is told %v, later %+v", i, replied, got.Later)
			}
		case replied == nil && (got.Later == nil || got.Later.Surface != "web"):
			t.Fatalf("%d: what was said here is lost: %+v", i, got)
		case replied != nil && (!late || closed.Outcome.Surface != "claude-code"):
			t.Fatalf("%d: the late one is told %v", i, replied)
		default:
			wins[0]++
		}
	}
	t.Logf("the dialog won %d, the desk %d", wins[0], wins[1])
}

// Ten thousand events that are not what they should be: not a word.
func TestNonsense(t *testing.T) {
	dir := t.TempDir()
	d := openDesk(t, dir)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	printed := make(chan string, 1)
	go func() {
		data, _ := io.ReadAll(read)
		printed <- string(data)
	}()
	random := rand.New(rand.NewPCG(1, 2))
	seeds := []string{
		request("s1", one+","+several), used("s1", one, `{"answers":{"Which database?":"MongoDB"}}`), claude("Stop", "s1"),
		claude("PostToolBatch", "s1", `"tool_calls":[{`+tool(one)+`}]`),
		`{"type":"question.asked","properties":{"id":"que_1","sessionID":"s1","questions":[{"question":"Which?","header":"H","options":[{"label":"A","description":""},{"label":"B","description":""}]}]}}`,
	}
	for i := range 10_000 {
		mirror.Run(t.Context(), mirror.Options{
			Host: host(t, mirror.Names()[i%2]), Desk: d, In: bytes.NewReader(mangled(random, []byte(seeds[random.IntN(len(seeds))]))), Out: write, Getenv: attended,
			Limit: time.Nanosecond, // one that has come through whole goes at once
		})
	}
	_ = write.Close()
	if text := <-printed; text != "" {
		t.Errorf("printed %q", text)
	}
}

// mangled changes some bytes, at least one.
func mangled(random *rand.Rand, data []byte) []byte {
	for range 1 + random.IntN(4) {
		at := random.IntN(len(data))
		switch random.IntN(4) {
		case 0:
			data[at] = byte(random.IntN(256))
		case 1:
			data = append(data[:at:at], data[min(len(data), at+random.IntN(20)):]...)
		case 2:
			end := min(len(data), at+random.IntN(40))
			data = append(data[:end:end], data[at:]...)
		case 3:
			data[at] = `{}[]",:`[random.IntN(7)]
		}
		if len(data) == 0 {
			return []byte("x")
		}
	}
	return data
}

// What OpenCode asks, is answered here or there, and ends.
func TestOpenCode(t *testing.T) {
	const asked = `{"type":"question.asked","directory":"/home/ada/shop","properties":{"id":"que_1","sessionID":"ses_1","questions":[` +
		`{"question":"Which database?","header":"DB","options":[{"label":"PostgreSQL","description":""},{"label":"MongoDB","description":""}]},` +
		`{"question":"Which features?","header":"F","multiple":true,"custom":false,"options":[{"label":"A, B","description":""},{"label":"C","description":""}]}],"tool":{"messageID":"m","callID":"c"}}}`
	done := func(kind, more string) string {
		return fmt.Sprintf(`{"type":"question.%s","properties":{"sessionID":"ses_1","requestID":"que_1"%s}}`, kind, more)
	}
	for _, tc := range []struct {
		name    string
		reply   *question.Reply
		printed string
		end     string
		want    desk.Outcome
		later   bool
	}{
		{"here", &question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "none"}, chosen("q2", "A, B", "C")}},
			`{"answers":[["none"],["A, B","C"]]}`, done("replied", `,"answers":[["none"],["A, B","C"]]`), desk.Outcome{Status: desk.Answered, Surface: "web"}, false},
		{"there first", &question.Reply{Answers: []question.Answer{chosen("q2", "C")}},
			`{"answers":[[],["C"]]}`, done("replied", `,"answers":[["MongoDB"],[]]`), desk.Outcome{Status: desk.Answered, Surface: "opencode"}, true},
		{"there", nil, "", done("replied", `,"answers":[["MongoDB"],["C"]]`), desk.Outcome{Status: desk.Answered, Surface: "opencode"}, false},
		{"rejected here", &question.Reply{Dismissed: true}, `{"reject":true}`, done("rejected", ""), desk.Outcome{Status: desk.Dismissed, Surface: "web"}, false},
		{"rejected there", nil, "", done("rejected", ""), desk.Outcome{Status: desk.Dismissed, Surface: "opencode"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			open := func(o *mirror.Options) { o.Host = host(t, "opencode") }
			b := start(t, dir, asked, open)
			rec := b.record()
			if tc.reply != nil {
				b.reply(rec, *tc.reply)
				if text := strings.TrimSpace(b.printed()); text != tc.printed {
					t.Errorf("printed %s", text)
				}
			}
			if text := start(t, dir, done("replied", `,"answers":[]`)[:20], open).printed(); text != "" { // torn
				t.Errorf("printed %q", text)
			}
			if text := start(t, dir, tc.end, open).printed(); text != "" {
				t.Errorf("printed %q", text)
			}
			if tc.reply == nil {
				if text := b.printed(); text != "" {
					t.Errorf("printed %q", text)
				}
			}
			rec = get(t, b.desk, rec.ID)
			if rec.State != tc.want.Status || rec.Outcome.Surface != tc.want.Surface || (rec.Later != nil) != tc.later || rec.Outcome.Unsettled {
				t.Errorf("it ended %+v, later %+v", rec.Outcome, rec.Later)
			}
		})
	}
}
