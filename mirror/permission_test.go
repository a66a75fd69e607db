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
)

// What an agent wants to do stands there whole, and as nothing but text. A no is a forbidden action,
// but of a plan, which is to be changed then.
func TestPermissionAsks(t *testing.T) {
	const notAllowed = `User did not allow this. They write: \"add tests\".`
	for name, tc := range map[string]struct {
		asked                    string
		host                     option
		question, about, options string
		denied                   string
	}{
		"a command": {asksLeave(touch), permitted, "Allow Claude Code to use Bash?",
			"    command:\n      touch a\n        description: [U+202E]**no**\n      # rm\n    description: Make a file\n" +
				"    timeout: 5", "Allow once, Deny", `"deny","message":"` + notAllowed},
		"a plan": {asksLeave(`"tool_name":"ExitPlanMode","tool_input":{"plan":"# Plan\n\n1. Do it","planFilePath":"/p.md"}`),
			permitted, "Does Claude Code go on with this plan?", "# Plan\n\n1. Do it\n\n    planFilePath: /p.md",
			"Go on, Keep planning", `"deny","message":"User does not go on with this plan yet. They write: \"add tests\". ` +
				`Stay in plan mode,`},
		"nothing": {asksLeave(`"tool_name":"mcp__x__\u001b[2J","tool_input":{}`), permitted,
			"Allow Claude Code to use mcp__x__␛[2J?", "", "Allow once, Deny", notAllowed},
		"OpenCode's": {openCodeLeave, openCode, "Allow OpenCode to use bash?",
			"    for: [\"rm -r build\"]\n    command: ls && rm -r build", "Allow once, Deny",
			`{"reply":"reject","message":"` + notAllowed},
	} {
		t.Run(name, func(t *testing.T) {
			b := start(t, t.TempDir(), tc.asked, permitted, tc.host)
			rec := b.record()
			q := rec.Questions[0]
			if q.Text != tc.question || q.Description != tc.about || q.Options[0].Label+", "+q.Options[1].Label != tc.options {
				t.Errorf("it asks %q, about %q, %+v", q.Text, q.Description, q.Options)
			}
			if q.Type != question.Boolean || len(q.Declared().Selected) > 0 || !q.Required ||
				rec.Asker.Via != desk.ViaPermission {
				t.Errorf("it asks %+v, by %+v", q, rec.Asker)
			}
			b.reply(rec, &question.Reply{Answers: []question.Answer{choice("q1", question.NoID)}, Note: "add tests"})
			b.prints(tc.denied)
		})
	}
}

// Only a yes of a user's own, with nothing beside it, is printed as one; and
// however the host's dialog ends, the record does.
func TestPermission(t *testing.T) {
	yes, no := choice("q1", question.YesID), choice("q1", question.NoID)
	noted := yes
	noted.Note = "but only a"
	const allow = `{"hookSpecificOutput":{"decision":{"behavior":"allow"},"hookEventName":"PermissionRequest"}}`
	const deny = `"deny","message":"User did not allow this. `
	const beside = `"deny","message":"User would allow this, but wrote something beside it, so that it was not run. `
	ran, refused, stopped := event(batch(touch, "made")), event(batch(touch, rejected)), event(claude("Stop", "s1"))
	here := func(status desk.Status, said string) ended { return ended{status: status, where: "web", said: said} }
	there := func(status desk.Status, said string) ended {
		return ended{status: status, where: "claude-code", said: said}
	}
	late, first := here(desk.Answered, "Allow once"), there(desk.Answered, "Deny")
	late.provisional = true // of a yes the end of the turn says nothing
	first.later = true
	unneeded := there(desk.Cancelled, "")
	unneeded.later = true
	for name, tc := range map[string]struct {
		reply   *question.Reply
		printed string
		end     act
		want    ended
	}{
		"allowed here":            {says(yes), allow, ran, here(desk.Answered, "Allow once")},
		"allowed here, told late": {says(yes), allow, stopped, late},
		"denied here":             {says(no), deny + "Do not", nil, here(desk.Answered, "Deny")},
		"allowed with a word": {&question.Reply{Answers: []question.Answer{yes}, Note: "but only a"},
			beside + `They write: \"but only a\".`, nil, here(desk.Answered, "Allow once")},
		"a note beside the yes": {says(noted), beside + `Their notes: \"but only a\".`, nil,
			here(desk.Answered, "Allow once")},
		"dismissed here": {&question.Reply{Dismissed: true, Reason: "why?"}, deny + `Their reason: \"why?\".`, nil,
			here(desk.Dismissed, "")},
		"to be discussed": {&question.Reply{Discuss: true, Note: "why?"},
			`"deny","message":"User wants to discuss this before answering. They write: \"why?\".`, nil, here(desk.Discuss, "")},
		"denied there":               {nil, "", refused, there(desk.Answered, "Deny")},
		"allowed here, denied there": {says(yes), allow, refused, first},
		"denied here, run there":     {says(no), deny, ran, unneeded},
		"run there":                  {nil, "", ran, there(desk.Cancelled, "")},
		"ended there":                {nil, "", stopped, there(desk.Cancelled, "")},
	} {
		t.Run(name, func(t *testing.T) {
			dialog{asked: asksLeave(touch), options: []option{permitted}, reply: tc.reply, printed: tc.printed, end: tc.end,
				want: tc.want}.play(t)
		})
	}
}

// A program's yes that is in the store all the same is not printed.
func TestPermissionOfAProgram(t *testing.T) {
	dir := t.TempDir()
	b := start(t, dir, asksLeave(touch), permitted)
	rec := b.record()
	forged := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{question.YesID},
		By: question.ByProgram}}}
	data, err := json.Marshal(desk.Outcome{ID: "x", Status: desk.Answered, Reply: &forged, Surface: "web", At: time.Now(),
		Provisional: true})
	fatal.If(t, err)
	fatal.If(t, desktest.Store(t, dir).Answer(t.Context(), rec.ID, store.Ending{Outcome: data}))
	b.prints("")
}

// Where nobody sits at the host there is no dialog, and this the only place.
func TestPermissionAlone(t *testing.T) {
	told := make(chan string, 1)
	alone := environment("0", "")
	b := start(t, t.TempDir(), asksLeave(touch), permitted, alone, func(o *mirror.Options) {
		o.After = struck(0) // told at once
		o.Notify = func(_ context.Context, rec desk.Record) { told <- rec.ID }
	})
	rec := b.record()
	if id := <-told; id != rec.ID || len(rec.ShownOn) > 0 {
		t.Errorf("told of %s, shown on %v", id, rec.ShownOn)
	}
	b.reply(rec, says(choice("q1", question.YesID)))
	b.prints(`"allow"`)
	// Nobody answers.
	briefly := func(o *mirror.Options) { o.Timeout = 100 * time.Millisecond }
	start(t, t.TempDir(), asksLeave(touch), permitted, alone, briefly).prints("")
}

// A session in the background, or of an application on the SDK, has a dialog though no
// user attends to it.
func TestUnattendedQuestion(t *testing.T) {
	for _, entrypoint := range []string{"cli", "sdk-ts"} {
		b := start(t, t.TempDir(), request("s1", one), environment("0", entrypoint))
		b.reply(b.record(), says(choice("q1", "MongoDB")))
		b.prints(`"Which database?":"MongoDB"`)
	}
}

// A subagent's dialog of an application on the SDK stays open while the hook runs, and
// when the turn of its session stops.
func TestSubagentOfSDK(t *testing.T) {
	dir, sdk := t.TempDir(), environment("0", "sdk-ts")
	b := start(t, dir, claude("PermissionRequest", "s1", touch, `"agent_id":"a1"`), permitted, sdk)
	rec := b.record()
	event(claude("Stop", "s1"))(t, b, dir)
	if rec := get(t, b.desk, rec.ID); rec.Outcome != nil {
		t.Fatalf("it ended with the turn: %+v", rec.Outcome)
	}
	b.reply(rec, says(choice("q1", question.YesID)))
	b.prints(`"allow"`)
	event(strings.Replace(batch(touch, "done"), `"tool_calls"`, `"agent_id":"a1","tool_calls"`, 1), sdk)(t, b, dir)
	if rec := get(t, b.desk, rec.ID); rec.Outcome.Provisional {
		t.Errorf("it is not settled: %+v", rec.Outcome)
	}
}
