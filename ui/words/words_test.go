package words_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

func TestWords(t *testing.T) {
	shop := desk.Asker{Client: "claude-code", Directory: `C:\src\shop\`}
	hostile := desk.Asker{Client: "x\x1b[2J", Directory: "/a/b\n"}
	answered := desk.Record{State: desk.Answered, Set: question.Set{Questions: []question.Question{
		{ID: "q1", Header: "DB", Text: "Which\ndatabase?", Type: question.SingleChoice, Options: []question.Option{{ID: "pg", Label: "PostgreSQL"}}},
		{ID: "q2", Text: "Why?", Type: question.Text},
	}}, Outcome: &desk.Outcome{Status: desk.Answered, Surface: "tty", Reply: &question.Reply{Answers: []question.Answer{
		{QuestionID: "q1", Selected: []string{"pg"}}, {QuestionID: "q2", Custom: "It is\nfast"},
	}}}}
	for _, tc := range []struct{ got, want string }{
		{words.English.Asker(shop), "Claude Code in shop"},
		{words.English.Asker(desk.Asker{}), "an agent"},
		{words.English.Asker(hostile), "x␛[2J in b␊"},
		{words.English.Outcome(answered.Outcome), "answered in a terminal"},
		{words.English.Outcome(nil), "still open"},
		{words.English.Outcome(&desk.Outcome{Status: desk.Timeout, Reason: "1m0s"}), "closed, because the time was up"},
		{words.English.Surface("x\x1b"), "on x␛"},
		{words.English.Surface(""), ""},
		{words.English.Withdrawal(&desk.ClosedError{Outcome: *answered.Outcome}), "Already answered in a terminal."},
		{words.English.Withdrawal(&desk.ClosedError{Outcome: desk.Outcome{Status: desk.Cancelled, Reason: "enough!"}}), "The agent withdrew the question: enough!"},
		{words.English.Withdrawal(errors.New("bye")), "Nothing was sent; the question stays open: bye."},
		{words.English.Withdrawal(nil), "Nothing was sent; the question stays open."},
		{words.English.Withdrawal(fmt.Errorf("%w any more", desk.ErrNotFound)), "Nothing was sent: no such question any more."},
		{words.English.LimitStays(errors.New("disk\x1b full")), "The limit stays: disk␛ full."},
		{words.English.Other(&question.Question{}).Label, "Other"},
		{words.English.Other(&question.Question{Other: &question.Option{Label: "Else"}}).Label, "Else"},
		{words.English.Remembered(desk.Memory{At: time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC), Asker: desk.Asker{Client: "claude-code"}, Words: []string{"PostgreSQL", "a\nb"}}, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)),
			"You answered PostgreSQL; a b on 3 Nov"},
		{words.English.Client(desk.Asker{Client: "codex-mcp-client", Agent: "alice"}), "alice (Codex)"},
		{words.English.Client(desk.Asker{Client: "Visual Studio Code"}), "VS Code"},
		{words.English.Client(desk.Asker{Client: "codex-nightly"}), "codex-nightly"},
		{words.English.Client(desk.Asker{Client: words.UnknownClient}), "an agent"},
		{words.Chinese.Client(desk.Asker{Client: "mcp-askuser", Via: desk.ViaShell}), "命令行"},
		{words.English.Surface("opencode"), "in OpenCode"},
		{words.English.Round(&desk.Record{Round: 2}), ""},
		{words.English.Round(&desk.Record{Round: 1, NearLimit: true}), ""},
		{words.English.Round(&desk.Record{Round: 9, NearLimit: true}), "round 9"},
		{words.English.Round(&desk.Record{Round: 1, Rounds: 3}), "round 1/3"},
		{words.English.Round(&desk.Record{Round: 4, Rounds: 3}), "round 4/4"},
		{words.English.Day(time.Date(2025, 11, 3, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), "3 Nov 2025"},
		{words.English.Ago(30 * time.Second), "just now"},
		{words.English.Ago(3 * time.Hour), "3 h ago"},
		{words.English.Span(90 * time.Second), "1 minute 30 seconds"},
		{words.English.Span(time.Hour), "1 hour"},
		{words.English.Span(-time.Second), "0 seconds"},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
}

// What Age and Left say stays true for as long as they say, and no longer.
func TestGoodFor(t *testing.T) {
	for _, d := range []time.Duration{0, 59 * time.Second, 61 * time.Second, 59 * time.Minute, 25 * time.Hour, 49 * time.Hour, 400 * time.Hour} {
		text, good := words.English.Age(d)
		if still, _ := words.English.Age(d + good - 1); still != text {
			t.Errorf("%v is %q, and %q before its time", d, text, still)
		}
		if next, _ := words.English.Age(d + good); next == text {
			t.Errorf("%v is %q for longer than %v", d, text, good)
		}
		text, good = words.English.Left(d)
		if d == 0 {
			continue
		}
		if still, _ := words.English.Left(d - good + 1); still != text {
			t.Errorf("%v is %q, and %q before its time", d, text, still)
		}
		if next, _ := words.English.Left(d - good); next == text {
			t.Errorf("%v is %q for longer than %v", d, text, good)
		}
	}
	if text, _ := words.English.Left(720 * time.Hour); text != "closes in 30 d" {
		t.Errorf("a month: %q", text)
	}
}
