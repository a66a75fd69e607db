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

// A busy machine takes longer to store a question than a host waits.
func TestMain(m *testing.M) {
	mirror.StoreTimeout = waittest.Patience
	m.Run()
}

const (
	one = `{"question":"Which database?","header":"Database","options":[{"label":"PostgreSQL",` +
		`"description":"Relational"},{"label":"MongoDB","description":"Documents"}],"multiSelect":false}`
	several = `{"question":"Which features?","header":"Features","options":[{"label":"Logs, metrics","description":""},` +
		`{"label":"Cache","description":""},{"label":"Say \"hi\"","description":""}],"multiSelect":true}`
	touch = `"tool_name":"Bash","tool_input":{"command":"touch a\n  description: \u202e**no**\u2028# rm",` +
		`"description":"Make a file","timeout":5}`
)

// claude is an event of Claude Code as it was recorded; more are its further
// members.
func claude(name, session string, more ...string) string {
	return fmt.Sprintf(`{"session_id":%q,"transcript_path":"/home/ada/.claude/projects/shop/x.jsonl",`+
		`"cwd":"/home/ada/shop","prompt_id":"7e1b","permission_mode":"default","hook_event_name":%q%s}`,
		session, name, strings.Join(append([]string{""}, more...), ","))
}

func tool(questions string) string {
	return `"tool_name":"AskUserQuestion","tool_input":{"questions":[` + questions + `]}`
}

func request(session, questions string) string {
	return claude("PermissionRequest", session, tool(questions))
}

// asksLeave is the event of a dialog that asks whether a tool may be used.
func asksLeave(tool string) string {
	return claude("PermissionRequest", "s1", tool,
		`"permission_suggestions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]`)
}

// used is the event of a dialog that was answered so.
func used(session, questions, response string) string {
	return claude("PostToolUse", session, tool(questions), `"tool_use_id":"toolu_01","tool_response":`+response)
}

// rejected is what the model reads where a dialog was closed.
const rejected = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a " +
	"file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n"

// batch is the event of calls that have ended, with what the model reads of one.
func batch(tool, said string) string {
	response, err := json.Marshal(said)
	if err != nil {
		panic(err)
	}
	return claude("PostToolBatch", "s1", `"tool_calls":[{"tool_name":"Read","tool_input":{"file_path":"/x"},`+
		`"tool_response":"x"},{`+tool+`,"tool_use_id":"t","tool_response":`+string(response)+`}]`)
}

// beside is a hook that stands beside a dialog.
type beside struct {
	t    *testing.T
	desk *desk.Desk
	read *os.File // what the host reads
	stop context.CancelCauseFunc
	done chan struct{}
}

// option changes how a hook runs.
type option func(*mirror.Options)

func permitted(o *mirror.Options) { o.Permissions = true }

func openCode(o *mirror.Options) { o.Host, _ = mirror.ByName("opencode") }

// environment is what Claude Code sets for its hooks.
func environment(attended, entrypoint string) option {
	return variables(map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": attended, "CLAUDE_PID": "7",
		"CLAUDE_CODE_ENTRYPOINT": entrypoint})
}

func variables(env map[string]string) option {
	return func(o *mirror.Options) { o.Getenv = func(name string) string { return env[name] } }
}

// struck is a clock that strikes for one duration, and never for any other.
func struck(at time.Duration) func(time.Duration) <-chan time.Time {
	return func(d time.Duration) <-chan time.Time {
		if d != at {
			return nil
		}
		return time.After(0)
	}
}

// start runs a hook for an event: by default one of Claude Code, whose user is there, and
// with a clock that strikes for nothing but an event that came after all others.
func start(t *testing.T, dir, event string, options ...option) *beside {
	t.Helper()
	read, write, err := os.Pipe()
	fatal.If(t, err)
	ctx, stop := context.WithCancelCause(t.Context())
	b := &beside{t: t, desk: desktest.Open(t, dir), read: read, stop: stop, done: make(chan struct{})}
	o := mirror.Options{Desk: desktest.Open(t, dir), In: strings.NewReader(event), Out: write,
		After: struck(2 * time.Second)}
	o.Host, _ = mirror.ByName("claude-code")
	variables(map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": "1"})(&o)
	for _, change := range options {
		change(&o)
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

// prints checks that the hook prints a text before its end, or nothing where that is empty.
func (b *beside) prints(want string) (text string) {
	b.t.Helper()
	text = b.printed()
	if !strings.Contains(text, want) || want == "" && text != "" {
		b.t.Errorf("printed %q, want %q", text, want)
	}
	return text
}

// opened waits until so many questions are open, the oldest first.
func opened(t *testing.T, d *desk.Desk, want int) (records []desk.Record) {
	t.Helper()
	var err error
	if !waittest.Until(waittest.Patience, func() bool {
		records, err = d.Pending(t.Context())
		return err != nil || len(records) == want
	}) || err != nil {
		t.Fatalf("%d questions are open, want %d; %v", len(records), want, err)
	}
	return records
}

func (b *beside) record() desk.Record { return opened(b.t, b.desk, 1)[0] }

func choice(id string, labels ...string) question.Answer {
	return question.Answer{QuestionID: id, Selected: labels}
}

func says(answers ...question.Answer) *question.Reply { return &question.Reply{Answers: answers} }

var onPage = desk.Evidence{Surface: "web", How: desk.HowPage}

func (b *beside) reply(rec desk.Record, r *question.Reply) {
	b.t.Helper()
	_, err := b.desk.Reply(b.t.Context(), rec.ID, *r, onPage)
	fatal.If(b.t, err)
}

func get(t *testing.T, d *desk.Desk, id string) desk.Record {
	t.Helper()
	rec, err := d.Get(t.Context(), id)
	fatal.If(t, err)
	return rec
}

// act is what happens to a dialog: b is the hook beside it.
type act func(t *testing.T, b *beside, dir string)

// event has the host tell something, of which nothing is printed.
func event(text string, options ...option) act {
	return func(t *testing.T, _ *beside, dir string) {
		t.Helper()
		start(t, dir, text, options...).prints("")
	}
}

// ended is how a record has ended.
type ended struct {
	status      desk.Status
	where, said string
	later       bool // what was said here did not count, and is kept
	provisional bool
}

// dialog is a dialog of a host, and what becomes of it.
type dialog struct {
	asked   string
	options []option
	reply   *question.Reply // here, before the end
	printed string          // a part of what the host reads then
	end     act             // how the host tells the end; nil if it repeats the message that it has read
	want    ended
}

// play has the dialog happen, and returns its record as it was asked.
func (d dialog) play(t *testing.T) desk.Record {
	t.Helper()
	dir := t.TempDir()
	b := start(t, dir, d.asked, d.options...)
	asked := b.record()
	if d.reply != nil {
		b.reply(asked, d.reply)
		text := b.prints(d.printed)
		if rec := get(t, b.desk, asked.ID); !rec.Outcome.Provisional {
			t.Errorf("it counts as delivered: %+v", rec.Outcome)
		}
		if d.end == nil {
			d.end = event(batch(touch, denial(t, text)))
		}
	}
	d.end(t, b, dir)
	if d.reply == nil {
		b.prints("")
	}
	rec := get(t, b.desk, asked.ID)
	got := ended{status: rec.State, where: rec.Outcome.Surface, later: rec.Later != nil,
		provisional: rec.Outcome.Provisional}
	if rec.State == desk.Timeout {
		got.said = rec.Outcome.Reason
	}
	for _, x := range rec.Asked() {
		got.said += x.Text()
	}
	if got != d.want {
		t.Errorf("it ended %+v, want %+v", got, d.want)
	}
	return asked
}

// denial is the message for the model in what Claude Code reads.
func denial(t *testing.T, printed string) string {
	t.Helper()
	var read struct {
		Output struct{ Decision struct{ Message string } } `json:"hookSpecificOutput"`
	}
	fatal.If(t, json.Unmarshal([]byte(printed), &read))
	return read.Output.Decision.Message
}
