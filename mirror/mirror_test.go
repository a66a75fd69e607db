package mirror_test

import (
	"cmp"
	"context"
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
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/mirror"
	"mcp-askuser/question"
)

// What a user replies on the desk is what Claude Code reads, and what it says
// in its turn is what it took.
func TestAnsweredHere(t *testing.T) {
	mongo := choice("q1", "MongoDB")
	for name, tc := range map[string]struct {
		questions string
		reply     *question.Reply
		said      string // as the desk has it
		answers   string // as printed
		notes     string // as printed, if there are any
	}{
		"a choice": {one, says(mongo), "MongoDB", `{"Which database?":"MongoDB"}`, ""},
		"free text": {one, says(question.Answer{QuestionID: "q1", Custom: "SQLite, <b>in memory</b>"}),
			"SQLite, <b>in memory</b>", `{"Which database?":"SQLite, <b>in memory</b>"}`, ""},
		"free text that is a label": {one, says(question.Answer{QuestionID: "q1", Custom: "MongoDB"}), "MongoDB",
			`{"Which database?":"MongoDB"}`, ""},
		"several": {several, says(choice("q1", "Cache", "Logs, metrics")), "Logs, metrics, Cache",
			`{"Which features?":"\"Logs, metrics\", Cache"}`, ""},
		"several and a text": {several, says(question.Answer{QuestionID: "q1", Selected: []string{"Cache", `Say "hi"`},
			Custom: "x, y"}), `Cache, Say "hi", x, y`, `{"Which features?":"Cache, Say \"hi\", \"x, y\""}`, ""},
		"a note": {one, &question.Reply{Answers: []question.Answer{mongo}, Note: "for now"}, "MongoDB",
			`{"Which database?":"MongoDB"}`, `{"Which database?":{"notes":"for now"}}`},
		"two, one left open": {one + "," + several, says(choice("q2", "Cache")), "Cache", `{"Which features?":"Cache"}`, ""},
		"notes": {one + "," + several, says(question.Answer{QuestionID: "q1", Selected: []string{"MongoDB"}, Note: "for now"},
			question.Answer{QuestionID: "q2", Note: "ask Ada"}), "MongoDB",
			`{"Which database?":"MongoDB","Which features?":"(notes only)"}`,
			`{"Which database?":{"notes":"for now"},"Which features?":{"notes":"ask Ada"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			notes := ""
			if tc.notes != "" {
				notes = `"annotations":` + tc.notes + ","
			}
			response := fmt.Sprintf(`{"questions":[%s],"answers":%s,"annotations":%s}`, tc.questions, tc.answers,
				cmp.Or(tc.notes, "{}"))
			rec := dialog{
				asked: request("s1", tc.questions), reply: tc.reply,
				printed: fmt.Sprintf(`"decision":{"behavior":"allow","updatedInput":{%s"answers":%s,"questions":[%s]}}`, notes,
					tc.answers, tc.questions),
				end:  event(used("s1", tc.questions, response)),
				want: ended{status: desk.Answered, where: "web", said: tc.said},
			}.play(t)
			if by := rec.Asker; by.Client != "claude-code" || by.Via != desk.ViaHook || by.Directory != "/home/ada/shop" ||
				!rec.Attended {
				t.Errorf("asked by %+v, attended %v", by, rec.Attended)
			}
		})
	}
}

// A question that the user leaves to the agent is answered in words that are no choice of the user's,
// also when the host tells them.
func TestDelegatedQuestion(t *testing.T) {
	const told = `"answers":{"Which database?":"(no choice of the user's: they left this to you)"}`
	dialog{
		asked: request("s1", one), reply: says(question.Answer{QuestionID: "q1", Delegated: true}), printed: told,
		end: event(used("s1", one, "{"+told+"}")), want: ended{status: desk.Answered, where: "web"},
	}.play(t)
}

// A question that is dismissed or put back on the desk closes the dialog with words for the model.
func TestClosedHere(t *testing.T) {
	dialog{
		asked: request("s1", one), reply: &question.Reply{Dismissed: true, Reason: "later"},
		printed: `"deny","message":"User dismissed the question without answering. Their reason: \"later\"`,
		end:     event(claude("Stop", "s1")), want: ended{status: desk.Dismissed, where: "web"},
	}.play(t)
	dialog{
		asked: request("s1", one+","+several), reply: &question.Reply{Discuss: true, Note: "what does it cost?",
			Answers: []question.Answer{choice("q2", "Cache")}},
		printed: `"deny","message":"User wants to discuss this before answering. They write: \"what does it cost?\". ` +
			`Answered so far: \"Which features?\"=\"Cache\". Talk about it`,
		end: event(claude("Stop", "s1")), want: ended{status: desk.Discuss, where: "web", said: "Cache"},
	}.play(t)
}

// How a dialog ends in Claude Code, the record ends, and nothing is printed.
func TestEndedThere(t *testing.T) {
	answers := func(response string) string { return used("s1", one, response) }
	took := answers(`{"answers":{"Which database?":"PostgreSQL"}}`)
	closes := func(_ *testing.T, b *beside, _ string) {
		b.stop(mirror.ErrClosed)
		<-b.done
	}
	there := func(status desk.Status, said string) ended {
		return ended{status: status, where: "claude-code", said: said}
	}
	for name, tc := range map[string]struct {
		end  act
		want ended
	}{
		"answered":  {event(took), there(desk.Answered, "PostgreSQL")},
		"own words": {event(answers(`{"answers":{"Which database?":"none, please"}}`)), there(desk.Answered, "none, please")},
		"notes alone": {event(answers(`{"answers":{"Which database?":"(notes only)"},"annotations":` +
			`{"Which database?":{"notes":"see the wiki"}}}`)), there(desk.Answered, "see the wiki")},
		"a message instead": {event(answers(`{"answers":{},"response":"what is this?"}`)),
			there(desk.Answered, "what is this?")},
		"left open": {event(answers(`{"answers":{}}`)), there(desk.Dismissed, "")},
		"nobody there": {event(answers(`{"answers":{"Which database?":"PostgreSQL"},"afkTimeoutMs":60000}`)),
			there(desk.Timeout, "60s")},
		"escape": {closes, there(desk.Dismissed, "")},
		"the terminal closed": {func(_ *testing.T, b *beside, _ string) { b.stop(mirror.ErrGone) },
			there(desk.Cancelled, "")},
		"to be discussed": {event(claude("Stop", "s1")), there(desk.Discuss, "")},
		"to be discussed, told with the batch in any words": {event(batch(tool(one), "用户想先弄清这些问题。")),
			there(desk.Discuss, "")},
		"escape, after the batch": {during(batch(tool(one), "用户不想继续。"), closes), there(desk.Dismissed, "")},
		"answered, after the batch": {during(batch(tool(one), `Your questions have been answered: "Which database?"=`+
			`"PostgreSQL".`), event(took)), there(desk.Answered, "PostgreSQL")},
		"answered, after the stop": {during(claude("Stop", "s1"), event(took)), there(desk.Answered, "PostgreSQL")},
		"the session ended": {event(claude("SessionEnd", "s1", `"reason":"prompt_input_exit"`)),
			there(desk.Cancelled, "")},
		"withdrawn here": {func(t *testing.T, b *beside, _ string) {
			end := desk.Outcome{Status: desk.Cancelled, Reason: "enough", Surface: "shell"}
			_, err := b.desk.Close(t.Context(), b.record().ID, end)
			fatal.If(t, err)
		}, ended{status: desk.Cancelled, where: "shell"}},
	} {
		t.Run(name, func(t *testing.T) {
			dialog{asked: request("s1", one), end: tc.end, want: tc.want}.play(t)
		})
	}
}

// during returns a step in which the host tells an event that ends the dialog, and does then while
// that event waits for another.
func during(ends string, then act, options ...option) act {
	return func(t *testing.T, b *beside, dir string) {
		waits, strike := make(chan bool), make(chan time.Time)
		late := start(t, dir, ends, append(options, func(o *mirror.Options) {
			o.After = func(time.Duration) <-chan time.Time { close(waits); return strike }
		})...)
		select {
		case <-waits:
		case <-late.done:
			t.Error("it did not wait for an event with more information")
		}
		then(t, b, dir)
		close(strike)
		late.prints("")
	}
}

// What is no question of the user's own dialog, or is not understood to the
// last member, is left alone.
func TestLeftAlone(t *testing.T) {
	changed := func(old, now string) string { return request("s1", strings.Replace(one, old, now, 1)) }
	asks := func(tool string, more ...string) string {
		return claude("PermissionRequest", "s1", append([]string{tool}, more...)...)
	}
	const own = `"tool_name":"mcp__askuser__confirm_action","tool_input":{"action":"x"}`
	for name, tc := range map[string]struct {
		event   string
		options []option
	}{
		"nobody sits there":     {request("s1", one), []option{variables(nil)}},
		"permissions are not":   {asksLeave(touch), []option{func(o *mirror.Options) { o.Permissions = false }}},
		"a subagent":            {asks(tool(one), `"agent_id":"a1"`), nil},
		"our own tool":          {asks(own), nil},
		"another tool's use":    {claude("PostToolUse", "s1", touch, `"tool_response":"x"`), nil},
		"another program":       {strings.ReplaceAll(request("s1", one), "_", ""), nil},
		"leave to ask":          {asksLeave(`"tool_name":"AskUserQuestion","tool_input":{"title":"x"}`), nil},
		"a subagent's leave":    {asks(touch, `"agent_id":"a1"`), nil},
		"an input that is none": {asksLeave(`"tool_name":"Bash","tool_input":"ls"`), nil},
		"too long to be read": {asksLeave(`"tool_name":"Bash","tool_input":{"command":"` +
			strings.Repeat("x", 10_001) + `"}`), nil},
		"a plan that is none":    {asksLeave(`"tool_name":"ExitPlanMode","tool_input":{"plan":""}`), nil},
		"another event":          {claude("PreToolUse", "s1", tool(one)), nil},
		"no session":             {request("", one), nil},
		"no questions":           {request("s1", ""), nil},
		"equal questions":        {request("s1", one+","+one), nil},
		"equal labels":           {changed("MongoDB", "PostgreSQL"), nil},
		"a label that is empty":  {changed("MongoDB", ""), nil},
		"half a character":       {changed("MongoDB", `Mongo\ud83d`), nil},
		"another kind":           {changed(`"header"`, `"kind":"number","min":1,"max":9,"header"`), nil},
		"an unknown member":      {changed(`"header"`, `"weight":1,"header"`), nil},
		"an unknown option":      {changed(`"description"`, `"score":1,"description"`), nil},
		"an unknown input":       {request("s1", one+`],"title":["x"`), nil},
		"answered already":       {asks(strings.Replace(tool(one), `{`, `{"answers":{"x":"y"},`, 1)), nil},
		"no JSON":                {"{", nil},
		"an end without a start": {used("s1", one, `{"answers":{}}`), nil},
		"an end of nothing":      {claude("Stop", "s9"), nil},
		"too much":               {changed("Relational", strings.Repeat("x", 5<<20)), nil},
		"OpenCode's permission, where permissions are not": {openCodeLeave, []option{openCode,
			func(o *mirror.Options) { o.Permissions = false }}},
		"OpenCode's permission without its input": {strings.Replace(openCodeLeave, `"input"`, `"other"`, 1),
			[]option{openCode}},
		"OpenCode's permission for our own tool": {strings.Replace(openCodeLeave, `"bash"`, `"askuser_ask_user_question"`, 1),
			[]option{openCode}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			start(t, dir, tc.event, append([]option{permitted}, tc.options...)...).prints("")
			if _, err := os.Stat(dir); err == nil {
				t.Error("something was stored")
			}
		})
	}
}

// Five seconds before the host stops waiting the question is withdrawn here.
func TestExpiry(t *testing.T) {
	b := start(t, t.TempDir(), request("s1", one), func(o *mirror.Options) {
		o.Limit = 5*time.Second + 3*time.Second // time to store on a busy machine
	})
	rec := b.record()
	b.prints("")
	if rec = get(t, b.desk, rec.ID); rec.State != desk.Cancelled {
		t.Errorf("it ended %+v", rec.Outcome)
	}
}

// The mirror notifies the user of a question that is still open after six seconds.
func TestNotified(t *testing.T) {
	told := make(chan string, 1)
	b := start(t, t.TempDir(), request("s1", one), func(o *mirror.Options) {
		o.After = struck(6 * time.Second)
		o.Notify = func(ctx context.Context, rec desk.Record) {
			told <- rec.ID
			<-ctx.Done()
		}
	})
	if rec, got := b.record(), <-told; got != rec.ID {
		t.Errorf("told of %s", got)
	}
	b.stop(mirror.ErrClosed)
	b.prints("")
}

// What cannot be stored at once is not mirrored.
func TestStore(t *testing.T) {
	mirror.StoreTimeout = 50 * time.Millisecond
	defer func() { mirror.StoreTimeout = waittest.Patience }()
	for name, asked := range map[string]func(context.Context, desktest.Call) error{
		"full": func(context.Context, desktest.Call) error { return syscall.ENOSPC },
		"slow": func(ctx context.Context, _ desktest.Call) error { <-ctx.Done(); return ctx.Err() },
		"slow to write": func(ctx context.Context, c desktest.Call) error {
			if c.Method == "Ask" {
				<-ctx.Done()
			}
			return ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			unwilling := &desktest.Faulty{Store: desktest.Store(t, dir)}
			unwilling.Before(asked)
			b := start(t, dir, request("s1", one), func(o *mirror.Options) { o.Desk = desk.New(unwilling, desk.Options{}) })
			b.prints("")
			opened(t, b.desk, 0)
		})
	}
}

// A prompt of the user's begins a new count of rounds for Claude Code in that project, and
// prints nothing, which the model would read.
func TestPromptBeginsCount(t *testing.T) {
	dir := t.TempDir()
	d := desktest.Open(t, dir, desk.Options{MaxRounds: 1})
	ask := func(n int) error {
		set := question.Set{Questions: []question.Question{{Text: fmt.Sprintf("Question %d?", n), Type: question.Text}}}
		rec, attendance, err := d.Submit(t.Context(), desk.Request{
			Set: set, Session: "mcp-1",
			Asker: desk.Asker{Client: "claude-code", Directory: "/home/ada/shop", Via: "mcp"},
		})
		if err != nil {
			return err
		}
		defer attendance.Release()
		_, err = d.Reply(t.Context(), rec.ID, question.Reply{Dismissed: true}, onPage)
		return err
	}
	fatal.If(t, ask(1))
	if err := ask(2); !errors.As(err, new(*desk.RoundLimitError)) {
		t.Fatalf("a round too many: %v", err)
	}
	start(t, dir, claude("UserPromptSubmit", "s1", `"prompt":"go on"`)).prints("")
	if err := ask(3); err != nil {
		t.Errorf("after a prompt: %v", err)
	}
}

// A reply is printed also where its record cannot be read once more: the host decides whether it
// comes too late.
func TestReplyWhileTheStoreFails(t *testing.T) {
	dir := t.TempDir()
	store := &desktest.Faulty{Store: desktest.Store(t, dir)}
	b := start(t, dir, request("s1", one), func(o *mirror.Options) { o.Desk = desk.New(store, desk.Options{}) })
	rec := b.record()
	store.Fail("Get", syscall.EIO)
	b.reply(rec, says(choice("q1", "MongoDB")))
	b.prints("MongoDB")
}

// A store that cannot be read for a while ends no mirrored question.
func TestWaitOutlastsTheStore(t *testing.T) {
	dir := t.TempDir()
	store := &desktest.Faulty{Store: desktest.Store(t, dir)}
	waits := make(chan bool, 2)
	store.Before(func(_ context.Context, c desktest.Call) error {
		if c.Method != "Wait" || len(waits) == cap(waits) {
			return nil
		}
		waits <- true
		return syscall.ENOSPC
	})
	b := start(t, dir, request("s1", one), func(o *mirror.Options) { o.Desk = desk.New(store, desk.Options{}) })
	b.reply(b.record(), says(choice("q1", "MongoDB")))
	b.prints("MongoDB")
}
