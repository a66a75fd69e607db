package desk_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// Evidence decides the kind of an answerer, whatever the reply says of itself.
func TestAnswererByEvidence(t *testing.T) {
	dir := storeDir(t)
	d, other := open(t, dir), open(t, dir)
	for _, tc := range []struct {
		how    desk.How
		kind   desk.AnswererKind
		by     question.By
		byWord string
	}{
		{desk.HowPage, desk.UserAnswerer, question.ByUser, "user"},
		{desk.HowClientForm, desk.UserAnswerer, question.ByUser, "user"},
		{desk.HowPhone, desk.UserAnswerer, question.ByUser, "user"},
		{desk.HowFrontEnd, desk.UserAnswerer, question.ByUser, "front end"},
		{desk.HowCommand, desk.ProgramAnswerer, question.ByProgram, "program"},
		{desk.HowAPI, desk.ProgramAnswerer, question.ByProgram, "program"},
		{"", desk.ProgramAnswerer, question.ByProgram, "program"},
		{"the user", desk.ProgramAnswerer, question.ByProgram, "program"},
	} {
		for _, claimed := range []question.By{"", question.ByUser, question.ByProgram, question.ByTimeout, question.ByCaller} {
			rec := detached(t, d, request(fmt.Sprint(tc.how, claimed)))
			r := says("yes")
			r.Answers[0].By = claimed
			if _, err := d.Reply(t.Context(), rec.ID, r, desk.Evidence{Surface: "x", How: tc.how, Name: "panel"}); err != nil {
				t.Fatalf("%q: %v", tc.how, err)
			}
			got := must(other.Get(t.Context(), rec.ID))
			a := got.Outcome.Answerer
			named := a.Name == "panel"
			if a.How != tc.how || named != (tc.how == desk.HowFrontEnd) || a.PID != os.Getpid() || a.Program == "" {
				t.Errorf("%q: it is kept as %+v", tc.how, a)
			}
			if a.Kind != tc.kind || got.Reply().Answers[0].By != tc.by || a.By() != tc.byWord {
				t.Errorf("%q, claimed to be by %q: %s, the answer by %q, in one word %q", tc.how, claimed, a.Kind,
					got.Reply().Answers[0].By, a.By())
			}
		}
	}
}

// Invariant: a confirmation and a permission take a yes or a no from the user alone.
// What a program says leaves them open; it may dismiss a confirmation, and no question that a host shows too.
func TestConfirmationNeedsTheUser(t *testing.T) {
	d := open(t, storeDir(t))
	for _, how := range []desk.How{desk.HowCommand, desk.HowAPI, desk.HowTimeout, desk.HowCollected, desk.HowHostDialog, ""} {
		rec := put(t, d, confirmation("mcp").Set, "", asker)
		if _, err := d.Reply(t.Context(), rec.ID, yes, desk.Evidence{Surface: "x", How: how}); !errors.Is(err, desk.ErrUserRequired) {
			t.Errorf("%q: %v", how, err)
		}
		if got := must(d.Get(t.Context(), rec.ID)); got.State != desk.Pending {
			t.Errorf("%q: it is %s", how, got.State)
		}
		if got := must(d.Reply(t.Context(), rec.ID, yes, byPage)); got.State != desk.Answered {
			t.Errorf("the user after %q: %s", how, got.State)
		}
	}
	rec := put(t, d, confirmation("mcp").Set, "", asker)
	byCommand := desk.Evidence{Surface: "shell", How: desk.HowCommand}
	got := must(d.Reply(t.Context(), rec.ID, question.Reply{Dismissed: true}, byCommand))
	if got.State != desk.Dismissed || !got.Outcome.FromProgram() {
		t.Errorf("a program dismisses it: %s by %+v", got.State, got.Outcome.Answerer)
	}
	mirrored := mirror(t, d)
	for _, r := range []question.Reply{says("x"), {Dismissed: true}, {Discuss: true, Note: "why?"}} {
		_, err := d.Reply(t.Context(), mirrored.ID, r, byCommand)
		if !errors.Is(err, desk.ErrUserRequired) {
			t.Errorf("%+v, by a program: %v", r, err)
		}
	}
}

// What was kept of a set goes along when it is put back to be discussed, each answer
// with its giver. A program's yes to a confirmation does not.
func TestDiscussJoinsKeptAnswers(t *testing.T) {
	chosen := func(id string) []question.Answer {
		return []question.Answer{{QuestionID: "q1", Selected: []string{id}}}
	}
	for name, tc := range map[string]struct {
		set    question.Set
		answer string
		kept   question.By
		how    desk.How
		want   question.By // of the answer; empty where it stays behind
	}{
		"a program's, by the user":                     {set(), "pg", question.ByProgram, desk.HowPage, question.ByProgram},
		"a front end's, by the user":                   {set(), "pg", question.ByFrontEnd, desk.HowPage, question.ByUser},
		"a front end's, by a program":                  {set(), "pg", question.ByFrontEnd, desk.HowCommand, question.ByProgram},
		"what a human is typing":                       {set(), "pg", question.ByUser, desk.HowPage, ""},
		"a program's yes to a confirmation":            {confirmation("mcp").Set, question.YesID, question.ByProgram, desk.HowPage, ""},
		"a front end's yes to a confirmation":          {confirmation("mcp").Set, question.YesID, question.ByFrontEnd, desk.HowPage, question.ByUser},
		"a front end's yes to a confirmation, by code": {confirmation("mcp").Set, question.YesID, question.ByFrontEnd, desk.HowAPI, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, storeDir(t))
			rec := put(t, d, tc.set, "", asker)
			fatal.If(t, d.KeepAnswers(t.Context(), rec.ID, chosen(tc.answer), tc.kept))
			got := must(d.Reply(t.Context(), rec.ID, question.Reply{Discuss: true}, desk.Evidence{Surface: "x", How: tc.how}))
			a := got.Reply().Answer("q1")
			if got.State != desk.Discuss || (a != nil) != (tc.want != "") || a != nil && a.By != tc.want {
				t.Errorf("%s with %+v", got.State, a)
			}
		})
	}
	d := open(t, storeDir(t))
	rec := ask(t, d)
	fatal.If(t, d.KeepAnswers(t.Context(), rec.ID, chosen("pg"), question.ByProgram))
	talk := question.Reply{Discuss: true, Answers: chosen("lite")}
	got := must(d.Reply(t.Context(), rec.ID, talk, byPage))
	own := got.Reply().Answers
	if len(own) != 1 || own[0].Selected[0] != "lite" || own[0].By != question.ByUser {
		t.Errorf("the user's own, beside a program's: %+v", own)
	}
}
