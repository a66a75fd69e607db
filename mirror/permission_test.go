package mirror_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/mirror"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

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

// People read a permission in their language; the model and programs read English.
func TestPermissionInChinese(t *testing.T) {
	words.Local = words.Chinese
	t.Cleanup(func() { words.Local = words.English })
	b := start(t, t.TempDir(), asksLeave(touch), permitted)
	rec := b.record()
	if q := words.Chinese.Shown(rec).Questions[0]; q.Text != "允许 Claude Code 使用 Bash 吗？" || q.Options[0].Label+q.Options[1].Label != "允许一次拒绝" {
		t.Errorf("it asks %+v", q)
	}
	if q := rec.Questions[0]; q.Text != "Allow Claude Code to use Bash?" || q.Options[0].Label+q.Options[1].Label != "Allow onceDeny" {
		t.Errorf("programs read %+v", q)
	}
	b.reply(rec, question.Reply{Answers: []question.Answer{choice("q1", question.NoID)}})
	if said := b.printed(); !strings.Contains(said, `"deny","message":"User did not allow this. Do not`) {
		t.Errorf("printed %s", said)
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
				fatal.If(t, json.Unmarshal([]byte(said), &got))
				end = batch(touch, got.Output.Decision.Message)
			}
			event(end)(t, b, dir)
			if tc.reply == nil {
				b.silent()
			}
			unsure := tc.name == "allowed here, told late" // of a yes the end of the turn says nothing
			rec = get(t, b.desk, rec.ID)
			if got := rec.Asked()[0].Text(); rec.State != tc.state || rec.Outcome.Surface != tc.where || got != tc.said || rec.Outcome.Unsettled != unsure {
				t.Errorf("it ended %+v with %q", rec.Outcome, got)
			}
		})
	}
}

// A program's yes that is in the store all the same is not printed.
func TestPermissionOfAProgram(t *testing.T) {
	dir := t.TempDir()
	b := start(t, dir, asksLeave(touch), permitted)
	rec := b.record()
	forged := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.YesID}, By: question.ByProgram}}}
	data, err := json.Marshal(desk.Outcome{ID: "x", Status: desk.Answered, Reply: &forged, Surface: "web", At: time.Now(), Unsettled: true})
	fatal.If(t, err)
	fatal.If(t, desktest.Store(t, dir).Answer(t.Context(), rec.ID, store.Ending{Outcome: data}))
	b.silent()
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
	b = start(t, t.TempDir(), asksLeave(touch), alone, func(o *mirror.Options) { o.Timeout = 100 * time.Millisecond })
	b.silent()
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
