package mirror_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/mirror"
	"mcp-askuser/question"
)

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

// rejected is what the model reads where a dialog was closed.
const rejected = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n"

// batch is the event of calls that have ended, with what the model reads of one.
func batch(tool, said string) string {
	response, err := json.Marshal(said)
	if err != nil {
		panic(err)
	}
	return claude("PostToolBatch", "s1", `"tool_calls":[{"tool_name":"Read","tool_input":{"file_path":"/x"},"tool_response":"x"},{`+tool+`,"tool_use_id":"t","tool_response":`+string(response)+`}]`)
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

// never is a clock that strikes for nothing but an event that came after all
// others.
func never(d time.Duration) <-chan time.Time {
	if d == 2*time.Second {
		return time.After(0)
	}
	return nil
}

func host(t testing.TB, name string) mirror.Host {
	h, ok := mirror.ByName(name)
	if !ok {
		t.Fatal(name)
	}
	return h
}

func openDesk(t testing.TB, dir string) *desk.Desk {
	t.Helper()
	store := desktest.Store(t, dir)
	return desk.New(store, desk.Options{})
}

// start runs a hook for an event; edit may change how.
func start(t *testing.T, dir, event string, edit ...func(*mirror.Options)) *beside {
	t.Helper()
	read, write, err := os.Pipe()
	fatal.If(t, err)
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
	text := waittest.Take(b.t, out)
	<-b.done
	return text
}

// silent fails where the hook prints anything before its end.
func (b *beside) silent() {
	b.t.Helper()
	if text := b.printed(); text != "" {
		b.t.Errorf("printed %q", text)
	}
}

// opened waits until so many questions are open, the oldest first.
func opened(t *testing.T, d *desk.Desk, want int) []desk.Record {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), waittest.Patience)
	events, err := d.Watch(ctx)
	fatal.If(t, err)
	defer func() { // a watch that goes on would make the store anew when it is removed
		stop()
		for range events {
		}
	}()
	for {
		records, err := d.Pending(ctx)
		fatal.If(t, err)
		if len(records) == want {
			return records
		}
		if _, ok := <-events; !ok {
			t.Fatalf("%d questions are open, want %d", len(records), want)
		}
	}
}

func (b *beside) record() desk.Record { return opened(b.t, b.desk, 1)[0] }

func choice(id string, labels ...string) question.Answer {
	return question.Answer{QuestionID: id, Selected: labels}
}

func (b *beside) reply(rec desk.Record, r question.Reply) {
	b.t.Helper()
	if _, err := b.desk.Reply(b.t.Context(), rec.ID, r, desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		b.t.Fatal(err)
	}
}

func get(t *testing.T, d *desk.Desk, id string) desk.Record {
	t.Helper()
	rec, err := d.Get(t.Context(), id)
	fatal.If(t, err)
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

// environment is what Claude Code sets for its hooks.
func environment(attended, entrypoint string) func(*mirror.Options) {
	return func(o *mirror.Options) {
		o.Getenv = func(name string) string {
			return map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": attended, "CLAUDE_PID": "7", "CLAUDE_CODE_ENTRYPOINT": entrypoint}[name]
		}
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

// A busy machine takes longer to store a question than a host waits.
func TestMain(m *testing.M) {
	mirror.StoreTimeout = waittest.Patience
	m.Run()
}
