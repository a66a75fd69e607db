package mirror_test

import (
	"fmt"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/mirror"
	"mcp-askuser/question"
)

const openCodeAsked = `{"type":"question.asked","directory":"/home/ada/shop","properties":{"id":"que_1","sessionID":"ses_1","questions":[` +
	`{"question":"Which database?","header":"DB","options":[{"label":"PostgreSQL","description":""},{"label":"MongoDB","description":""}]},` +
	`{"question":"Which features?","header":"F","multiple":true,"custom":false,"options":[{"label":"A, B","description":""},{"label":"C","description":""}]}],"tool":{"messageID":"m","callID":"c"}}}`

// What OpenCode asks, is answered here or there, and ends.
func TestOpenCode(t *testing.T) {
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
			b := start(t, dir, openCodeAsked, open)
			rec := b.record()
			if tc.reply != nil {
				b.reply(rec, *tc.reply)
				if text := strings.TrimSpace(b.printed()); !strings.HasPrefix(text, tc.printed) {
					t.Errorf("printed %s", text)
				}
			}
			start(t, dir, done("replied", `,"answers":[]`)[:20], open).silent()
			start(t, dir, tc.end, open).silent()
			if tc.reply == nil {
				b.silent()
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
			start(t, dir, tc.end, open).silent()
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
