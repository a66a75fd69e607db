package view_test

import (
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

var at = time.Date(2026, 1, 1, 9, 30, 0, 0, time.UTC)

// record is one of two questions, open until an outcome is given.
func record(o *desk.Outcome) desk.Record {
	rec := desk.Record{
		ID: "01JD", Asker: desk.Asker{Client: "claude-code", Version: "2.1", Directory: `C:\src\shop\`}, State: desk.Pending, CreatedAt: at, Outcome: o,
		Set: question.Set{Questions: []question.Question{
			{ID: "q1", Header: "DB", Text: "Which\ndatabase?", Type: question.SingleChoice, Options: []question.Option{{ID: "pg", Label: "PostgreSQL"}}},
			{ID: "q2", Text: "Why?", Type: question.Text},
		}},
	}
	if o != nil {
		rec.State = o.Status
		o.At = at.Add(time.Minute)
	}
	return rec
}

func answered(surface string) *desk.Outcome {
	return &desk.Outcome{Status: desk.Answered, Surface: surface, Reply: &question.Reply{Note: "on\nthe whole", Answers: []question.Answer{
		{QuestionID: "q1", Selected: []string{"pg"}}, {QuestionID: "q2", Custom: "It is\nfast"},
	}}}
}

func dismissed(reason string) *desk.Outcome {
	return &desk.Outcome{Status: desk.Dismissed, Surface: "web", Reply: &question.Reply{Dismissed: true, Reason: reason}}
}

// of is a record that a test has changed, in a language.
func of(rec desk.Record, l words.Language, change func(*desk.Record)) view.Record {
	if change != nil {
		change(&rec)
	}
	return view.Of(rec, l)
}

// prove has the answer carry a proof.
func prove(kind question.ProofKind, verified bool) func(*desk.Record) {
	return func(rec *desk.Record) {
		rec.Outcome.Proof = &question.Proof{Kind: kind, Key: "k1", Name: "laptop", At: at, Verified: verified, Signature: []byte("s")}
	}
}

func TestRecord(t *testing.T) {
	open := func(change func(*desk.Record)) view.Record { return of(record(nil), words.English, change) }
	ended := func(o *desk.Outcome, change func(*desk.Record)) view.Record {
		return of(record(o), words.English, change)
	}
	late := func(rec *desk.Record) { rec.Later = answered("inbox") }
	for _, tc := range []struct{ name, got, want string }{
		{"asked by", open(nil).AskedBy(), "Claude Code in shop"},
		{"program", open(nil).Program(), "Claude Code 2.1"},
		{"hostile program", open(func(rec *desk.Record) { rec.Asker.Client = "x\x1b[2J" }).Program(), "x␛[2J 2.1"},
		{"subject", open(nil).Subject(), "[+1] DB: Which database?"},
		{"no subject", open(func(rec *desk.Record) { rec.Questions = nil }).Subject(), "(no question)"},
		{"age", open(nil).Age(at.Add(5 * time.Minute)), "5 min"},
		{"away", open(nil).Attention(), "not awaited"},
		{"attended", open(func(rec *desk.Record) { rec.Attended = true }).Attention(), "agent waits"},
		{"status", open(nil).Status(), "pending"},
		{"open", open(nil).Ended(), "still open"},
		{"open by", open(nil).EndedBy(), ""},
		{"open ending", open(nil).Ending(time.UTC), "still open"},
		{"open reason", open(nil).Reason(), ""},
		{"open note", open(nil).Note(), ""},
		{"answered", ended(answered("tty"), nil).Ended(), "answered in a terminal"},
		{"answered by", ended(answered("tty"), nil).EndedBy(), "in a terminal"},
		{"signed", ended(answered("web"), prove(question.PasskeyProof, true)).Ended(), "answered on the web page, signed with the passkey laptop"},
		{"signed where nothing is known", ended(answered(""), prove(question.CredentialProof, true)).EndedBy(), "signed with the credential laptop"},
		{"not verified", ended(answered("tty"), prove(question.PasskeyProof, false)).EndedBy(), "in a terminal"},
		{"answer", ended(answered("tty"), nil).Decision(), "PostgreSQL; It is fast"},
		{"note", ended(answered("tty"), nil).Note(), "on\nthe whole"},
		{"dismissed", ended(dismissed("not\nnow"), nil).Decision(), "dismissed on the web page"},
		{"reason", ended(dismissed("not\nnow"), nil).Reason(), "not\nnow"},
		{"ending", ended(dismissed("not\nnow"), nil).Ending(time.UTC), "dismissed on the web page, 1 Jan 09:31: not␊now"},
		{"first", ended(dismissed(""), nil).LateReply(), ""},
		{"late", ended(dismissed(""), late).LateReply(),
			"Not answered in the inbox: it was dismissed on the web page first."},
		{"late answer", ended(dismissed(""), late).LateAnswer(), "PostgreSQL; It is fast"},
		{"late dismissal", ended(answered("tty"), func(rec *desk.Record) { rec.Later = dismissed("") }).LateAnswer(),
			""},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, tc.got, tc.want)
		}
	}
	alice := ended(answered("web"), func(rec *desk.Record) { rec.Outcome.Answerer = &desk.Answerer{Kind: desk.UserAnswerer, Name: "alice"} })
	if kind, name := alice.Answerer(); kind != "user" || name != "alice" || alice.EndedBy() != "by alice on the web page" {
		t.Errorf("answered by %s %s, %s", kind, name, alice.EndedBy())
	}
	if kind, name := open(nil).Answerer(); kind+name != "" {
		t.Errorf("an open one is answered by %s %s", kind, name)
	}
	if got := open(nil).Since(); !got.Equal(at) {
		t.Errorf("open since %v", got)
	}
	if got := ended(dismissed(""), nil).Since(); !got.Equal(at.Add(time.Minute)) {
		t.Errorf("ended since %v", got)
	}
}

// All that the projection says is in the language, the question's yes and no too.
// The record keeps its own words.
func TestLanguage(t *testing.T) {
	rec := record(&desk.Outcome{Status: desk.Cancelled, Reason: words.ByCommand})
	rec.Questions = []question.Question{{ID: "q", Text: "Go on?", Type: question.Boolean, Options: question.YesAndNo()}}
	got := view.Of(rec, words.Chinese)
	if ending := got.Ending(time.UTC); ending != "已撤回，1月1日 09:31："+words.Chinese.T(words.ByCommand) {
		t.Errorf("it ended %q", ending)
	}
	if label := got.Asked()[0].Options[0].Label; label != "是" || rec.Questions[0].Options[0].Label != "Yes" {
		t.Errorf("yes is %q, in the record %q", label, rec.Questions[0].Options[0].Label)
	}
}

// TestCloses: a deadline closes nothing that is not waited for once it has passed.
func TestCloses(t *testing.T) {
	deadline := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		deadline time.Time
		attended bool
		now      time.Time
		want     bool
	}{
		{deadline, true, deadline.Add(-time.Hour), true}, {deadline, false, deadline.Add(-time.Hour), true},
		{deadline, true, deadline.Add(time.Hour), true}, {deadline, false, deadline.Add(time.Hour), false},
		{time.Time{}, true, deadline, false},
	} {
		if got := view.Closes(tt.deadline, tt.attended, tt.now); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
