package words_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// What is ours in a question is said in the language; what its asker has worded
// stays, and so does the record.
func TestShown(t *testing.T) {
	confirm := desk.Record{Set: question.Set{Questions: []question.Question{{ID: "q", Header: "Confirm", Type: question.Boolean, Options: question.YesAndNo()}}}}
	worded := desk.Record{Set: question.Set{Questions: []question.Question{{ID: "q", Header: "Confirm", Type: question.SingleChoice, Options: []question.Option{
		{ID: "a", Label: "Yes", FollowUps: confirm.Questions}, {ID: "b", Label: "No"}}}}}}
	say := func(rec desk.Record) (said string) {
		for _, q := range rec.All() {
			said += q.Header
			for _, o := range q.Options {
				said += " " + o.Label
			}
			said += ";"
		}
		return said
	}
	for _, tc := range []struct {
		rec  desk.Record
		l    words.Language
		want string
	}{
		{confirm, words.English, "Confirm Yes No;"},
		{confirm, words.Chinese, "确认 是 否;"},
		{confirm, words.Portuguese, "Confirmar Sim Não;"},
		{worded, words.Chinese, "Confirm Yes No;Confirm 是 否;"},
	} {
		before := say(tc.rec)
		if got := say(tc.l.Shown(tc.rec)); got != tc.want || say(tc.rec) != before {
			t.Errorf("got %q, want %q; the record says %q", got, tc.want, say(tc.rec))
		}
	}
}

// A language has its own order, plural and time, and what it lacks is English.
func TestLanguages(t *testing.T) {
	by := &desk.Outcome{Status: desk.Answered, Surface: "web", Answerer: &desk.Answerer{Name: "alice"}}
	inHost := &desk.Outcome{Status: desk.Answered, Surface: "claude-code"}
	failed := &desk.Outcome{Status: desk.Failed, Surface: "tty"}
	for _, tc := range []struct{ got, want string }{
		{words.Chinese.Outcome(by), "已由 alice 在网页上回答"},
		{words.Portuguese.Outcome(by), "respondida por alice na página web"},
		{words.Chinese.Withdrawal(&desk.ClosedError{Outcome: *inHost}), "问题已在 Claude Code 中回答。"},
		{words.Portuguese.Withdrawal(&desk.ClosedError{Outcome: *inHost}), "Já foi respondida em Claude Code."},
		{words.Chinese.T("Already %s.", words.Chinese.Outcome(failed)), "问题在终端中出错。"},
		{words.Portuguese.T("Already %s.", words.Portuguese.Outcome(failed)), "Já foi encerrada por falha em um terminal."},
		{words.Chinese.Ago(5 * time.Minute), "5 分钟前"},
		{words.Portuguese.Span(61 * time.Minute), "1 hora 1 minuto"},
		{words.Portuguese.N(2, "%d second", "%d seconds"), "2 segundos"},
		{words.Chinese.T("no such text %d", 3), "no such text 3"},
		{words.Portuguese.T("100 %"), "100 %"},
		{words.Portuguese.T(""), ""},
		{words.Chinese.Reason(&desk.Outcome{Status: desk.Cancelled, Reason: "cancelled by the client: 100 %s"}), "客户端取消了：100 %s"},
		{words.Chinese.Reason(&desk.Outcome{Status: desk.Cancelled, Reason: "interrupted at the command line"}), "在命令行中被中断"},
		{words.Chinese.Reason(&desk.Outcome{Status: desk.Cancelled,
			Reason: "no longer to be answered here; it stays open there"}), "不能再在这里回答；它在那里仍待回答"},
		{words.Portuguese.AndMore("Qual?", 2), "Qual? (e mais 2)"},
		{words.Chinese.Sentence("问题已关闭"), "问题已关闭。"},
		{words.Portuguese.Day(time.Unix(0, 0).UTC(), time.Unix(0, 0).UTC()), "01/01"},
		{words.Language("xx").T(words.Sent), "Answer sent."},
	} {
		if tc.got != tc.want {
			t.Errorf("got %q, want %q", tc.got, tc.want)
		}
	}
	set := question.Set{Questions: []question.Question{{ID: "q", Text: "Go on?", Type: question.Text}}}
	_, err := set.Check(question.Reply{Note: strings.Repeat("x", question.MaxText+1), Answers: []question.Answer{{QuestionID: "q", Custom: strings.Repeat("x", question.MaxText+1)}}})
	faults, _ := errors.AsType[question.Violations](err)
	for i, want := range []string{"备注：最多 10000 个字符，现有 10001 个", "answers.q：最多 10000 个字符，现有 10001 个"} {
		if got := words.Chinese.Refused(faults[i]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := words.Chinese.Refused(question.Violation{Message: "is \x1b gone"}); got != "is ␛ gone" {
		t.Errorf("got %q", got)
	}
	for locale, want := range map[string]words.Language{
		"": words.English, "C.UTF-8": words.English, "de_DE.UTF-8": words.English, "zh_CN.UTF-8": words.Chinese, "zh": words.Chinese,
		"pt_BR.UTF-8@x": words.Portuguese, "PT-pt": words.Portuguese, "zhx": words.English,
	} {
		if got := words.Spoken(locale); got != want {
			t.Errorf("%q is %s, want %s", locale, got, want)
		}
	}
}
