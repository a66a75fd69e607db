package mirror_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/mirror"
	"mcp-askuser/question"
)

// A question that the host shows too takes only the user's reply: a program's is refused,
// and the question stays on the desk until the user replies.
func TestProgramIsRefused(t *testing.T) {
	yes := question.Reply{Answers: []question.Answer{choice("q1", question.YesID)}}
	database := question.Reply{Answers: []question.Answer{choice("q1", "MongoDB")}}
	for name, tc := range map[string]struct {
		host, asked string
		reply       question.Reply
		printed     string
	}{
		"a question":           {"claude-code", request("s1", one), database, "MongoDB"},
		"a permission":         {"claude-code", asksLeave(touch), yes, `"allow"`},
		"a question, OpenCode": {"opencode", openCodeAsked, database, "MongoDB"},
	} {
		t.Run(name, func(t *testing.T) {
			b := start(t, t.TempDir(), tc.asked, permitted, func(o *mirror.Options) { o.Host = host(t, tc.host) })
			rec := b.record()
			for _, r := range []question.Reply{tc.reply, {Dismissed: true}, {Discuss: true, Note: "why?"}} {
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
			b.reply(rec, tc.reply)
			if text := b.printed(); !strings.Contains(text, tc.printed) {
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
			b.reply(rec, tc.reply)
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
		{"escape, after the batch", during(batch(tool(one), "用户不想继续。"), func(_ *testing.T, b *beside, _ string) {
			b.stop(mirror.ErrClosed)
			<-b.done
		}), desk.Dismissed, "claude-code", ""},
		{"answered, after the batch", during(batch(tool(one), `Your questions have been answered: "Which database?"="PostgreSQL".`),
			event(used("s1", one, `{"answers":{"Which database?":"PostgreSQL"}}`))), desk.Answered, "claude-code", "PostgreSQL"},
		{"answered, after the stop", during(claude("Stop", "s1"),
			event(used("s1", one, `{"answers":{"Which database?":"PostgreSQL"}}`))), desk.Answered, "claude-code", "PostgreSQL"},
		{"the session ended", event(claude("SessionEnd", "s1", `"reason":"prompt_input_exit"`)), desk.Cancelled, "claude-code", ""},
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
			b.silent()
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
		start(t, dir, text).silent()
	}
}

// during returns a step in which the host tells an event that ends the dialog, and does then while
// that event waits for another.
func during(ends string, then func(*testing.T, *beside, string)) func(*testing.T, *beside, string) {
	return func(t *testing.T, b *beside, dir string) {
		waits, strike := make(chan bool), make(chan time.Time)
		late := start(t, dir, ends, func(o *mirror.Options) {
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
		"nobody sits there":      request("s1", one),
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
			start(t, dir, text, func(o *mirror.Options) {
				o.Permissions = name != "another tool"
				if name == "nobody sits there" {
					o.Getenv = func(string) string { return "" }
				}
			}).silent()
			if _, err := os.Stat(dir); err == nil {
				t.Error("something was stored")
			}
		})
	}
}

// Five seconds before the host stops waiting the question is withdrawn here.
func TestExpiry(t *testing.T) {
	dir := t.TempDir()
	b := start(t, dir, request("s1", one), func(o *mirror.Options) {
		o.Limit = 5*time.Second + 3*time.Second // time to store on a busy machine
	})
	b.silent()
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

// What cannot be stored at once is not mirrored.
func TestStore(t *testing.T) {
	mirror.StoreTimeout = 50 * time.Millisecond
	defer func() { mirror.StoreTimeout = waittest.Patience }()
	for name, asked := range map[string]func(context.Context, desktest.Call) error{
		"full": func(context.Context, desktest.Call) error { return syscall.ENOSPC },
		"slow": func(ctx context.Context, _ desktest.Call) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			unwilling := &desktest.Faulty{Store: desktest.Store(t, dir)}
			unwilling.Before(asked)
			b := start(t, dir, request("s1", one), func(o *mirror.Options) { o.Desk = desk.New(unwilling, desk.Options{}) })
			b.silent()
			open, err := b.desk.Pending(t.Context())
			if err != nil || len(open) != 0 {
				t.Errorf("open are %v, %v", open, err)
			}
		})
	}
}
