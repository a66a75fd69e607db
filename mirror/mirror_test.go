package mirror_test

import (
	"bytes"
	"cmp"
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
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/mirror"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
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
	events, err := d.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { // a watch that goes on would make the store anew when it is removed
		stop()
		for range events {
		}
	}()
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

func choice(id string, labels ...string) question.Answer {
	return question.Answer{QuestionID: id, Selected: labels}
}

func (b *beside) reply(rec desk.Record, r question.Reply) {
	b.t.Helper()
	b.replyBy(rec, r, desk.HowPage)
}

func (b *beside) replyBy(rec desk.Record, r question.Reply, how desk.How) {
	b.t.Helper()
	if _, err := b.desk.Reply(b.t.Context(), rec.ID, r, desk.Evidence{Surface: "web", How: how}); err != nil {
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

// A question that the host shows too takes only the user's reply: a program's is refused,
// and the question stays on the desk until the user replies.
func TestProgramIsRefused(t *testing.T) {
	for _, name := range []string{"claude-code", "opencode"} {
		t.Run(name, func(t *testing.T) {
			asked := request("s1", one)
			if name == "opencode" {
				asked = `{"type":"question.asked","directory":"/home/ada/shop","properties":{"id":"que_1","sessionID":"ses_1","questions":[` +
					`{"question":"Which database?","header":"DB","options":[{"label":"PostgreSQL","description":""},{"label":"MongoDB","description":""}]}],` +
					`"tool":{"messageID":"m","callID":"c"}}}`
			}
			b := start(t, t.TempDir(), asked, func(o *mirror.Options) { o.Host = host(t, name) })
			rec := b.record()
			for _, r := range []question.Reply{
				{Answers: []question.Answer{choice("q1", "MongoDB")}}, {Dismissed: true}, {Discuss: true, Note: "why?"},
			} {
				for _, how := range []desk.How{desk.HowAPI, desk.HowCommand} {
					_, err := b.desk.Reply(t.Context(), rec.ID, r, desk.Evidence{Surface: "shell", How: how})
					if !errors.Is(err, desk.ErrUserRequired) {
						t.Errorf("%+v by %s: %v", r, how, err)
					}
				}
			}
			if now := get(t, b.desk, rec.ID); now.Outcome != nil || !now.Attended {
				t.Errorf("it has left the desk: %+v", now.Outcome)
			}
			b.replyBy(rec, question.Reply{Answers: []question.Answer{choice("q1", "PostgreSQL")}}, desk.HowPage)
			if text := b.printed(); !strings.Contains(text, "PostgreSQL") {
				t.Errorf("printed %s", text)
			}
		})
	}
}

// What a user replies on the desk is what Claude Code reads, and what it says
// in its turn is what it took.
func TestAnsweredHere(t *testing.T) {
	for _, tc := range []struct {
		name      string
		questions string
		reply     question.Reply
		answers   string // as printed; empty for a word to deny
		also      string
	}{
		{"a choice", one, question.Reply{Answers: []question.Answer{choice("q1", "MongoDB")}}, `{"Which database?":"MongoDB"}`, ""},
		{"free text", one, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "SQLite, <b>in memory</b>"}}}, `{"Which database?":"SQLite, <b>in memory</b>"}`, ""},
		{"free text that is a label", one, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "MongoDB"}}}, `{"Which database?":"MongoDB"}`, ""},
		{"several", several, question.Reply{Answers: []question.Answer{choice("q1", "Cache", "Logs, metrics")}}, `{"Which features?":"\"Logs, metrics\", Cache"}`, ""},
		{"several and a text", several, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"Cache", `Say "hi"`}, Custom: "x, y"}}}, `{"Which features?":"Cache, Say \"hi\", \"x, y\""}`, ""},
		{"a note", one, question.Reply{Answers: []question.Answer{choice("q1", "MongoDB")}, Note: "for now"}, `{"Which database?":"MongoDB"}`, `{"Which database?":{"notes":"for now"}}`},
		{"two, one left open", one + "," + several, question.Reply{Answers: []question.Answer{choice("q2", "Cache")}}, `{"Which features?":"Cache"}`, ""},
		{"notes", one + "," + several, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"MongoDB"}, Note: "for now"}, {QuestionID: "q2", Note: "ask Ada"}}},
			`{"Which database?":"MongoDB","Which features?":"(notes only)"}`, `{"Which database?":{"notes":"for now"},"Which features?":{"notes":"ask Ada"}}`},
		{"dismissed", one, question.Reply{Dismissed: true, Reason: "later"}, "", `Their reason: \"later\"`},
		{"to be discussed", one + "," + several, question.Reply{Discuss: true, Answers: []question.Answer{choice("q2", "Cache")}, Note: "what does it cost?"}, "",
			`They write: \"what does it cost?\". Answered so far: \"Which features?\"=\"Cache\". Talk about it`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			b := start(t, dir, request("s1", tc.questions))
			rec := b.record()
			if by := rec.Asker; by.Client != "claude-code" || by.Via != desk.ViaHook || by.Directory != "/home/ada/shop" || !rec.Attended {
				t.Errorf("asked by %+v, attended %v", by, rec.Attended)
			}
			b.replyBy(rec, tc.reply, desk.HowPage)
			text := b.printed()
			var got decision
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatalf("%v: %q", err, text)
			}
			d := got.Output.Decision
			if tc.answers == "" {
				if d.Behavior != "deny" || !strings.Contains(text, tc.also) || d.Updated != nil {
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
				end = used("s1", tc.questions, fmt.Sprintf(`{"questions":[%s],"answers":%s,"annotations":%s}`, tc.questions, tc.answers, cmp.Or(tc.also, "{}")))
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
		{"to be discussed", event(claude("Stop", "s1")), desk.Discuss, "claude-code", ""},
		{"to be discussed, told with the batch", event(batch(tool(one), rejected)), desk.Discuss, "claude-code", ""},
		{"to be discussed, in other words", event(batch(tool(one), "用户想先弄清这些问题。")), desk.Discuss, "claude-code", ""},
		{"escape, after the batch", duringBatch("用户不想继续。", func(_ *testing.T, b *beside, _ string) {
			b.stop(mirror.ErrClosed)
			<-b.done
		}), desk.Dismissed, "claude-code", ""},
		{"answered, after the batch", duringBatch(`Your questions have been answered: "Which database?"="PostgreSQL".`,
			event(used("s1", one, `{"answers":{"Which database?":"PostgreSQL"}}`))), desk.Answered, "claude-code", "PostgreSQL"},
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

// duringBatch is the event of the calls with the question, which is read before what then
// happens.
func duringBatch(said string, then func(*testing.T, *beside, string)) func(*testing.T, *beside, string) {
	return func(t *testing.T, b *beside, dir string) {
		waits, strike := make(chan bool), make(chan time.Time)
		late := start(t, dir, batch(tool(one), said), func(o *mirror.Options) {
			o.After = func(time.Duration) <-chan time.Time { close(waits); return strike }
		})
		select {
		case <-waits:
		case <-late.done:
			t.Error("it did not wait for an event with more information")
		}
		then(t, b, dir)
		close(strike)
		if out := late.printed(); out != "" {
			t.Errorf("printed %q", out)
		}
	}
}

// What is no question of the user's own dialog, or is not understood to the
// last member, is left alone.
func TestLeftAlone(t *testing.T) {
	for name, text := range map[string]string{
		"a subagent":             claude("PermissionRequest", "s1", tool(one), `"agent_id":"a1"`),
		"another tool":           claude("PermissionRequest", "s1", `"tool_name":"Bash","tool_input":{"command":"ls"}`),
		"our own tool":           claude("PermissionRequest", "s1", `"tool_name":"mcp__askuser__ask_user_question","tool_input":{"questions":[`+one+`]}`),
		"VS Code's, unmatched":   claude("PostToolUse", "s1", `"tool_name":"run_in_terminal","tool_input":{"command":"ls"},"tool_response":"x"`),
		"VS Code's, another one": `{"timestamp":"2026-11-22T05:00:00Z","cwd":"/home/ada/shop","sessionId":"s1","hookEventName":"PreToolUse","tool_name":"AskUserQuestion","tool_input":{"questions":[` + one + `]}}`,
		"our own tool's use":     claude("PermissionRequest", "s1", `"tool_name":"mcp__askuser__confirm_action","tool_input":{"action":"x"}`),
		"leave to ask":           asksLeave(`"tool_name":"AskUserQuestion","tool_input":{"title":"x"}`),
		"a subagent's leave":     claude("PermissionRequest", "s1", touch, `"agent_id":"a1"`),
		"an input that is none":  asksLeave(`"tool_name":"Bash","tool_input":"ls"`),
		"too long to be read":    asksLeave(`"tool_name":"Bash","tool_input":{"command":"` + strings.Repeat("x", 10_001) + `"}`),
		"a plan that is none":    asksLeave(`"tool_name":"ExitPlanMode","tool_input":{"plan":""}`),
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
			leave := func(o *mirror.Options) { o.Permissions = name != "another tool" }
			if text := start(t, dir, text, leave).printed(); text != "" {
				t.Errorf("printed %q", text)
			}
			if _, err := os.Stat(dir); err == nil {
				t.Error("something was stored")
			}
		})
	}
	t.Run("nobody sits there", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "store")
		b := start(t, dir, request("s1", one), func(o *mirror.Options) { o.Permissions, o.Getenv = true, func(string) string { return "" } })
		if text := b.printed(); text != "" {
			t.Errorf("printed %q", text)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Error("something was stored")
		}
	})
}

const touch = `"tool_name":"Bash","tool_input":{"command":"touch a\n  description: \u202e**no**\u2028# rm","description":"Make a file","timeout":5}`

// asksLeave is the event of a dialog that asks whether a tool may be used.
func asksLeave(tool string) string {
	return claude("PermissionRequest", "s1", tool, `"permission_suggestions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]`)
}

func permitted(o *mirror.Options) { o.Permissions = true }

// What an agent wants to do stands there whole, and as nothing but text.
func TestPermissionAsks(t *testing.T) {
	for _, tc := range []struct{ name, tool, question, about, options string }{
		{"a command", touch, "Allow Claude Code to use Bash?",
			"    command:\n      touch a\n        description: [U+202E]**no**\n      # rm\n    description: Make a file\n    timeout: 5", "Allow once, Deny"},
		{"a plan", `"tool_name":"ExitPlanMode","tool_input":{"plan":"# Plan\n\n1. Do it","planFilePath":"/p.md"}`, "Does Claude Code go on with this plan?",
			"# Plan\n\n1. Do it\n\n    planFilePath: /p.md", "Go on, Keep planning"},
		{"nothing", `"tool_name":"mcp__x__\u001b[2J","tool_input":{}`, "Allow Claude Code to use mcp__x__␛[2J?", "", "Allow once, Deny"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rec := start(t, t.TempDir(), asksLeave(tc.tool), permitted).record()
			q := rec.Questions[0]
			if q.Text != tc.question || q.Description != tc.about || q.Options[0].Label+", "+q.Options[1].Label != tc.options {
				t.Errorf("it asks %q, about %q, %+v", q.Text, q.Description, q.Options)
			}
			if q.Type != question.Boolean || len(q.Declared().Selected) > 0 || !q.Required || rec.Asker.Via != desk.ViaPermission {
				t.Errorf("it asks %+v, by %+v", q, rec.Asker)
			}
		})
	}
}

// People read a permission in their language, and why its dialog ended; the model
// and programs read English.
func TestPermissionInChinese(t *testing.T) {
	words.Local = words.Chinese
	t.Cleanup(func() { words.Local = words.English })
	dir := t.TempDir()
	b := start(t, dir, asksLeave(touch), permitted)
	rec := b.record()
	if q := words.Chinese.Shown(rec).Questions[0]; q.Header != "许可" || q.Text != "允许 Claude Code 使用 Bash 吗？" || q.Options[0].Label+q.Options[1].Label != "允许一次拒绝" {
		t.Errorf("it asks %+v", q)
	}
	if q := rec.Questions[0]; q.Text != "Allow Claude Code to use Bash?" || q.Options[0].Label+q.Options[1].Label != "Allow onceDeny" {
		t.Errorf("programs read %+v", q)
	}
	b.reply(rec, question.Reply{Answers: []question.Answer{choice("q1", question.NoID)}})
	if said := b.printed(); !strings.Contains(said, `"deny","message":"User did not allow this. Do not`) || strings.ContainsFunc(said, func(r rune) bool { return r > 127 }) {
		t.Errorf("printed %s", said)
	}
	event(batch(touch, "made"))(t, b, dir)
	if o := get(t, b.desk, rec.ID).Outcome; o.Reason != "decided there" || words.Local.Reason(o) != "已在那里决定" {
		t.Errorf("it ended %+v, for people because of %q", o, words.Local.Reason(o))
	}
}

// Only a yes of a user's own, with nothing beside it, is printed as one; and
// however the host's dialog ends, the record does.
func TestPermission(t *testing.T) {
	yes, no := question.Reply{Answers: []question.Answer{choice("q1", question.YesID)}}, question.Reply{Answers: []question.Answer{choice("q1", question.NoID)}}
	with := func(r question.Reply, note string) question.Reply { r.Note = note; return r }
	ran, refused := batch(touch, "made"), batch(touch, rejected)
	const allow = `{"hookSpecificOutput":{"decision":{"behavior":"allow"},"hookEventName":"PermissionRequest"}}`
	for _, tc := range []struct {
		name    string
		reply   *question.Reply // here, before the end
		printed string
		end     string // as the host tells it; empty for what it reads of ours
		state   desk.Status
		where   string
		said    string
	}{
		{"allowed here", &yes, allow, ran, desk.Answered, "web", "Allow once"},
		{"allowed here, told late", &yes, allow, claude("Stop", "s1"), desk.Answered, "web", "Allow once"},
		{"denied here", &no, `"deny","message":"User did not allow this. Do not`, "", desk.Answered, "web", "Deny"},
		{"denied with a word", new(with(no, "use git mv")), `They write: \"use git mv\".`, "", desk.Answered, "web", "Deny"},
		{"allowed with a word", new(with(yes, "but only a")), `"deny","message":"User would allow this, but wrote something beside it, so that it was not run. They write: \"but only a\".`, "", desk.Answered, "web", "Allow once"},
		{"a note beside the yes", &question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.YesID}, Note: "but only a"}}}, `Their notes: \"but only a\".`, "", desk.Answered, "web", "Allow once"},
		{"dismissed here", &question.Reply{Dismissed: true, Reason: "why?"}, `"deny","message":"User did not allow this. Their reason: \"why?\".`, "", desk.Dismissed, "web", ""},
		{"to be discussed", &question.Reply{Discuss: true, Note: "why?"}, `"deny","message":"User wants to discuss this before answering. They write: \"why?\".`, "", desk.Discuss, "web", ""},
		{"denied there", nil, "", refused, desk.Answered, "claude-code", "Deny"},
		{"allowed here, denied there", &yes, allow, refused, desk.Answered, "claude-code", "Deny"},
		{"denied here, run there", &no, "deny", ran, desk.Cancelled, "claude-code", ""},
		{"run there", nil, "", ran, desk.Cancelled, "claude-code", ""},
		{"ended there", nil, "", claude("Stop", "s1"), desk.Cancelled, "claude-code", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			b := start(t, dir, asksLeave(touch), permitted)
			rec := b.record()
			said := ""
			if tc.reply != nil {
				b.reply(rec, *tc.reply)
				if said = strings.TrimSpace(b.printed()); !strings.Contains(said, tc.printed) || strings.Contains(said, "allow\"") != (tc.printed == allow) {
					t.Errorf("printed %s", said)
				}
			}
			end := tc.end
			if end == "" {
				var got decision
				if err := json.Unmarshal([]byte(said), &got); err != nil {
					t.Fatal(err)
				}
				end = batch(touch, got.Output.Decision.Message)
			}
			event(end)(t, b, dir)
			if tc.reply == nil {
				if text := b.printed(); text != "" {
					t.Errorf("printed %q", text)
				}
			}
			unsure := tc.name == "allowed here, told late" // of a yes the end of the turn says nothing
			rec = get(t, b.desk, rec.ID)
			if got := rec.Asked()[0].Text(); rec.State != tc.state || rec.Outcome.Surface != tc.where || got != tc.said || rec.Outcome.Unsettled != unsure {
				t.Errorf("it ended %+v with %q", rec.Outcome, got)
			}
		})
	}
}

// A program's yes is refused, and should one be there, nothing is printed.
func TestPermissionOfAProgram(t *testing.T) {
	dir := t.TempDir()
	b := start(t, dir, asksLeave(touch), permitted)
	rec := b.record()
	for _, r := range []question.Reply{
		{Answers: []question.Answer{choice("q1", question.YesID)}},
		{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByProgram}}},
		{Dismissed: true},
	} {
		if _, err := b.desk.Reply(t.Context(), rec.ID, r, desk.Evidence{Surface: "shell", How: desk.HowCommand}); !strings.Contains(fmt.Sprint(err), "only the user can answer") {
			t.Errorf("%+v: %v", r, err)
		}
	}
	forged := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByProgram}}}
	data, err := json.Marshal(desk.Outcome{ID: "x", Status: desk.Answered, Reply: &forged, Surface: "web", At: time.Now(), Unsettled: true})
	if err != nil {
		t.Fatal(err)
	}
	err = desktest.Store(t, dir).Answer(t.Context(), rec.ID, store.Ending{Outcome: data})
	if err != nil {
		t.Fatal(err)
	}
	if text := b.printed(); text != "" {
		t.Errorf("printed %s", text)
	}
}

// Where nobody sits at the host there is no dialog, and this the only place.
func TestPermissionAlone(t *testing.T) {
	alone := func(o *mirror.Options) {
		permitted(o)
		o.Getenv = func(name string) string {
			return map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": "0", "CLAUDE_PID": "7"}[name]
		}
	}
	told := make(chan string, 1)
	b := start(t, t.TempDir(), asksLeave(touch), alone, func(o *mirror.Options) {
		o.After = struck(0) // told at once
		o.Notify = func(_ context.Context, rec desk.Record) { told <- rec.ID }
	})
	rec := b.record()
	if id := <-told; id != rec.ID || len(rec.ShownOn) > 0 {
		t.Errorf("told of %s, shown on %v", id, rec.ShownOn)
	}
	b.reply(rec, question.Reply{Answers: []question.Answer{choice("q1", question.YesID)}})
	if text := b.printed(); !strings.Contains(text, `"allow"`) {
		t.Errorf("printed %s", text)
	}
	// Nobody answers.
	b = start(t, t.TempDir(), asksLeave(touch), alone, func(o *mirror.Options) { o.Timeout, o.After = time.Minute, struck(time.Minute) })
	if text := b.printed(); text != "" {
		t.Errorf("printed %s", text)
	}
}

// environment is what Claude Code sets for its hooks.
func environment(attended, entrypoint string) func(*mirror.Options) {
	return func(o *mirror.Options) {
		o.Getenv = func(name string) string {
			return map[string]string{"CLAUDE_CODE_SESSION_ATTENDED": attended, "CLAUDE_PID": "7", "CLAUDE_CODE_ENTRYPOINT": entrypoint}[name]
		}
	}
}

// A session in the background, or of an application on the SDK, has a dialog though no
// user attends to it.
func TestUnattendedQuestion(t *testing.T) {
	for _, entrypoint := range []string{"cli", "sdk-ts"} {
		b := start(t, t.TempDir(), request("s1", one), environment("0", entrypoint))
		b.reply(b.record(), question.Reply{Answers: []question.Answer{choice("q1", "MongoDB")}})
		if text := b.printed(); !strings.Contains(text, `"Which database?":"MongoDB"`) {
			t.Errorf("%s: printed %s", entrypoint, text)
		}
	}
}

// A subagent's dialog of an application on the SDK stays open while the hook runs, and
// when the turn of its session stops.
func TestSubagentOfSDK(t *testing.T) {
	dir := t.TempDir()
	b := start(t, dir, claude("PermissionRequest", "s1", touch, `"agent_id":"a1"`), permitted, environment("0", "sdk-ts"))
	rec := b.record()
	event(claude("Stop", "s1"))(t, nil, dir)
	if rec := get(t, b.desk, rec.ID); rec.Outcome != nil {
		t.Fatalf("it ended with the turn: %+v", rec.Outcome)
	}
	b.reply(rec, question.Reply{Answers: []question.Answer{choice("q1", question.YesID)}})
	if text := b.printed(); !strings.Contains(text, `"allow"`) {
		t.Errorf("printed %s", text)
	}
	ended := claude("PostToolBatch", "s1", `"agent_id":"a1","tool_calls":[{`+touch+`,"tool_use_id":"t","tool_response":"done"}]`)
	_ = start(t, dir, ended, environment("0", "sdk-ts")).printed()
	if rec := get(t, b.desk, rec.ID); rec.Outcome.Unsettled {
		t.Errorf("it is not settled: %+v", rec.Outcome)
	}
}

// Two dialogs of one session are told apart, and answered in any order.
func TestTwoAtOnce(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir, request("s1", one))
	a := first.record()
	second := start(t, dir, request("s1", several))
	b := opened(t, second.desk, 2)[1]
	event(used("s2", one, `{"answers":{"Which database?":"MongoDB"}}`))(t, nil, dir) // another session's
	second.reply(b, question.Reply{Answers: []question.Answer{choice("q1", "Cache")}})
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
	first.reply(a, question.Reply{Answers: []question.Answer{choice("q1", "MongoDB")}})
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

// The mirror notifies the user of a question that is still open after six seconds.
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

// unwilling is a store that takes no question, or takes its time.
type unwilling struct {
	store.Store
	ask func() error
}

func (s *unwilling) Ask(ctx context.Context, row store.Row) (store.Row, error) {
	err := s.ask()
	if err != nil {
		return row, err
	}
	return s.Store.Ask(ctx, row)
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
			dir, tried := t.TempDir(), make(chan struct{})
			b := start(t, dir, request("s1", one), func(o *mirror.Options) {
				taken := func() error { close(tried); return tc.create() }
				o.Desk = desk.New(&unwilling{desktest.Store(t, dir), taken}, desk.Options{})
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
			<-tried // whoever waits no longer may have gone before
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
			_, replied = here.Reply(t.Context(), rec.ID, question.Reply{Answers: []question.Answer{choice("q1", "MongoDB")}}, desk.Evidence{Surface: "web", How: desk.HowPage})
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
		batch(tool(one), rejected), batch(touch, "made"), asksLeave(touch),
		`{"type":"permission.asked","properties":{"id":"per_1","sessionID":"s1","permission":"bash","patterns":["rm"]},"input":{"command":"rm"}}`,
		`{"type":"question.asked","properties":{"id":"que_1","sessionID":"s1","questions":[{"question":"Which?","header":"H","options":[{"label":"A","description":""},{"label":"B","description":""}]}]}}`,
	}
	for i := range 10_000 {
		event := mangled(random, []byte(seeds[random.IntN(len(seeds))]))
		hosts := mirror.Hosts()
		mirror.Run(t.Context(), mirror.Options{
			Host: hosts[i%len(hosts)], Permissions: true, Desk: d, In: bytes.NewReader(event), Out: write, Getenv: attended,
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
		{"here", &question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "none"}, choice("q2", "A, B", "C")}},
			`{"answers":[["none"],["A, B","C"]]}`, done("replied", `,"answers":[["none"],["A, B","C"]]`), desk.Outcome{Status: desk.Answered, Surface: "web"}, false},
		{"there first", &question.Reply{Answers: []question.Answer{choice("q2", "C")}},
			`{"answers":[[],["C"]]}`, done("replied", `,"answers":[["MongoDB"],[]]`), desk.Outcome{Status: desk.Answered, Surface: "opencode"}, true},
		{"there", nil, "", done("replied", `,"answers":[["MongoDB"],["C"]]`), desk.Outcome{Status: desk.Answered, Surface: "opencode"}, false},
		{"to be discussed", &question.Reply{Discuss: true, Note: "why?", Answers: []question.Answer{choice("q2", "C")}},
			`{"answers":[["User wants to discuss this before answering. They write: \"why?\". Answered so far: \"Which features?\"=\"C\". Talk about it`,
			done("replied", `,"answers":[["User wants to discuss this before answering. They write: \"why?\". Answered so far: \"Which features?\"=\"C\". Talk about it with the user in your reply, assume nothing for what is not answered, and ask again once that is settled."],["C"]]`), desk.Outcome{Status: desk.Discuss, Surface: "web"}, false},
		{"notes", &question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"MongoDB"}, Note: "for now"}}, Note: "thanks"},
			`{"answers":[["MongoDB","Note of the user: \"for now\"","Note of the user: \"thanks\""],[]]}`,
			done("replied", `,"answers":[["MongoDB","Note of the user: \"for now\"","Note of the user: \"thanks\""],[]]`), desk.Outcome{Status: desk.Answered, Surface: "web"}, false},
		{"to be discussed, no place for words", &question.Reply{Discuss: true, Answers: []question.Answer{choice("q1", "MongoDB")}}, `{"reject":true}`, done("rejected", ""), desk.Outcome{Status: desk.Discuss, Surface: "web"}, false},
		{"rejected here", &question.Reply{Dismissed: true}, `{"reject":true}`, done("rejected", ""), desk.Outcome{Status: desk.Dismissed, Surface: "web"}, false},
		{"rejected there", nil, "", done("rejected", ""), desk.Outcome{Status: desk.Dismissed, Surface: "opencode"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			open := func(o *mirror.Options) { o.Host = host(t, "opencode") }
			b := start(t, dir, asked, open)
			rec := b.record()
			if tc.reply != nil {
				b.replyBy(rec, *tc.reply, desk.HowPage)
				if text := strings.TrimSpace(b.printed()); !strings.HasPrefix(text, tc.printed) {
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

// What OpenCode asks leave for, as its plugin hands it on.
func TestOpenCodePermission(t *testing.T) {
	const asked = `{"type":"permission.asked","directory":"/home/ada/shop","properties":{"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":["rm -r build"],"metadata":{},"always":["rm *"],"tool":{"messageID":"m","callID":"c"}},"input":{"command":"ls && rm -r build"}}`
	replied := func(reply string) string {
		return fmt.Sprintf(`{"type":"permission.replied","properties":{"sessionID":"ses_1","requestID":"per_1","reply":%q}}`, reply)
	}
	yes, no := question.Reply{Answers: []question.Answer{choice("q1", question.YesID)}}, question.Reply{Answers: []question.Answer{choice("q1", question.NoID)}, Note: "keep it"}
	open := func(o *mirror.Options) { o.Host, o.Permissions = host(t, "opencode"), true }
	for _, tc := range []struct {
		name    string
		reply   *question.Reply
		printed string
		end     string
		where   string
		said    string
	}{
		{"allowed here", &yes, `{"reply":"once"}`, replied("once"), "web", "Allow once"},
		{"denied here", &no, `{"reply":"reject","message":"User did not allow this. They write: \"keep it\".`, replied("reject"), "web", "Deny"},
		{"allowed there", nil, "", replied("always"), "opencode", "Allow once"},
		{"denied there", nil, "", replied("reject"), "opencode", "Deny"},
		{"allowed here, denied there first", &yes, `{"reply":"once"}`, replied("reject"), "opencode", "Deny"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			b := start(t, dir, asked, open)
			rec := b.record()
			if q := rec.Questions[0]; q.Text != "Allow OpenCode to use bash?" || q.Description != "    for: [\"rm -r build\"]\n    command: ls && rm -r build" {
				t.Errorf("it asks %q, about %q", q.Text, q.Description)
			}
			if tc.reply != nil {
				b.reply(rec, *tc.reply)
				if text := b.printed(); !strings.HasPrefix(text, tc.printed) {
					t.Errorf("printed %s", text)
				}
			}
			if text := start(t, dir, tc.end, open).printed(); text != "" {
				t.Errorf("printed %q", text)
			}
			rec = get(t, b.desk, rec.ID)
			if got := rec.Asked()[0].Text(); rec.Outcome.Surface != tc.where || got != tc.said || rec.Outcome.Unsettled {
				t.Errorf("it ended %+v with %q", rec.Outcome, got)
			}
		})
	}
	for name, text := range map[string]string{
		"not asked for":     asked,
		"without its input": strings.Replace(asked, `"input"`, `"other"`, 1),
		"our own tool":      strings.Replace(asked, `"bash"`, `"askuser_ask_user_question"`, 1),
	} {
		if out := start(t, t.TempDir(), text, func(o *mirror.Options) { open(o); o.Permissions = name != "not asked for" }).printed(); out != "" {
			t.Errorf("%s: printed %q", name, out)
		}
	}
}

// A question of ours has no dialog in OpenCode: it shows a toast, outside of tmux, where a
// pane opens.
func TestOpenCodeToast(t *testing.T) {
	calls := func(input string) string {
		return `{"type":"tool.execute.before","directory":"/home/ada/shop","properties":{"sessionID":"ses_1"},"input":` + input + `}`
	}
	const two = `{"questions":[{"question":"Which database?"},{"question":"Why?"}]}`
	for _, tc := range []struct{ input, tmux, want string }{
		{two, "", "Which database? (and 1 more)"},
		{`{"questions":"[{\"question\":\"Which?\"}]"}`, "", "Which?"},
		{`{"question":"Go\u001b[2Jon?\nNow?"}`, "", "Go␛[2Jon?␊Now?"},
		{`{"action":"Delete prod"}`, "", "Delete prod"},
		{two, "/tmp/tmux,1,0", ""},
		{`{"questions":7}`, "", ""},
		{`{"id":"01J"}`, "", ""},
	} {
		b := start(t, t.TempDir(), calls(tc.input), func(o *mirror.Options) {
			o.Host, o.Getenv = host(t, "opencode"), func(name string) string { return map[string]string{"TMUX": tc.tmux}[name] }
		})
		want := ""
		if tc.want != "" {
			want = `{"toast":{"title":"Question","message":"` + tc.want + `\nTo answer: mcp-askuser inbox","variant":"warning","duration":30000}}` + "\n"
		}
		if got := b.printed(); got != want {
			t.Errorf("%s: printed %q, want %q", tc.input, got, want)
		}
		opened(t, b.desk, 0)
	}
}
