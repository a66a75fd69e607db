package question_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

func TestResponses(t *testing.T) {
	set := question.Set{Questions: []question.Question{
		{ID: "q1", Text: "Login?", Type: question.SingleChoice, Required: true, Options: []question.Option{
			{ID: "oauth", Label: "OAuth", FollowUps: []question.Question{{ID: "q1.1", Text: "Which?", Type: question.Text}}},
			{ID: "none", Label: "None", FollowUps: []question.Question{{ID: "q1.2", Text: "Why?", Type: question.Text}}},
		}},
		{ID: "q2", Text: "Tests?", Type: question.MultiChoice, Options: []question.Option{{ID: "u", Label: "Unit"}, {ID: "e", Label: "End to end"}}},
		{ID: "q3", Text: "Sure?", Type: question.Boolean, Options: []question.Option{{ID: "true", Label: "Yes"}, {ID: "false", Label: "No"}}},
		{
			ID: "q4", Text: "Known?", Type: question.SingleChoice,
			Options: []question.Option{
				{ID: "y", Label: "yes", FollowUps: []question.Question{{ID: "q4.1", Text: "Since?", Type: question.Text}}},
			},
			Collected: &question.Answer{QuestionID: "q4", Selected: []string{"y"}, By: question.ByCaller},
		},
	}}
	list := func(xs []question.Response) string {
		out := ""
		for _, x := range xs {
			out += fmt.Sprintf("%s %d %s %v %s|", x.Key(), x.Depth, x.State, x.Value(), x.By())
		}
		return out
	}
	for _, tc := range []struct {
		name       string
		reply      *question.Reply
		all, asked string
	}{
		{"no reply", nil,
			"question-0 0 unanswered <nil> |q1.1 1 not_shown <nil> |q1.2 1 not_shown <nil> |question-1 0 unanswered <nil> |question-2 0 unanswered <nil> |question-3 0 answered yes caller|q4.1 1 unanswered <nil> |",
			"question-0 0 unanswered <nil> |question-1 0 unanswered <nil> |question-2 0 unanswered <nil> |q4.1 1 unanswered <nil> |"},
		{"answered", &question.Reply{Answers: []question.Answer{
			{QuestionID: "q1", Selected: []string{"oauth"}},
			{QuestionID: "q1.2", Custom: "never shown"},
			{QuestionID: "q2", Selected: []string{"u", "e"}, Custom: "by hand"},
			{QuestionID: "q3", Selected: []string{"false"}, By: question.ByTimeout},
		}},
			"question-0 0 answered OAuth user|q1.1 1 unanswered <nil> |q1.2 1 not_shown <nil> |question-1 0 answered [Unit End to end by hand] user|question-2 0 answered false timeout|question-3 0 answered yes caller|q4.1 1 unanswered <nil> |",
			"question-0 0 answered OAuth user|q1.1 1 unanswered <nil> |question-1 0 answered [Unit End to end by hand] user|question-2 0 answered false timeout|q4.1 1 unanswered <nil> |"},
	} {
		if got := list(set.Responses(tc.reply)); got != tc.all {
			t.Errorf("%s: all are\n%s, want\n%s", tc.name, got, tc.all)
		}
		if got := list(set.Asked(tc.reply)); got != tc.asked {
			t.Errorf("%s: asked are\n%s, want\n%s", tc.name, got, tc.asked)
		}
	}
}

func TestNamed(t *testing.T) {
	choice := question.Question{Type: question.SingleChoice, Options: []question.Option{{ID: "a", Label: "B"}, {ID: "b", Label: "Other thing"}}}
	sure := question.Question{Type: question.Boolean, Options: []question.Option{{ID: "true", Label: "Ja"}, {ID: "false", Label: "Nein"}}}
	for _, tc := range []struct {
		q          *question.Question
		word, want string
	}{
		{&choice, "a", "a"}, {&choice, "b", "b"}, {&choice, "B", "a"}, {&choice, " other THING ", "b"}, {&choice, "yes", ""}, {&choice, "", ""},
		{&sure, "ja", "true"}, {&sure, "y", "true"}, {&sure, "是", "true"}, {&sure, "否", "false"}, {&sure, "FALSE", "false"},
		{&sure, "yes, but keep it", ""}, {&sure, "n，不", ""}, {&sure, "perhaps", ""},
		{&sure, "sim", "true"}, {&sure, "S", ""}, {&sure, "Não", "false"}, {&sure, "nao", "false"}, {&sure, "不是", "false"}, {&choice, "sim", ""},
	} {
		got := ""
		if o := tc.q.Named(tc.word); o != nil {
			got = o.ID
		}
		if got != tc.want {
			t.Errorf("%q names %q, want %q", tc.word, got, tc.want)
		}
	}
}

// A proof that was not verified is none, also where a document claims it, and a proof for
// programs has no signature.
func TestProof(t *testing.T) {
	at := time.Date(2026, 11, 2, 10, 1, 0, 0, time.FixedZone("", 3600))
	p := &question.Proof{
		Kind: question.PasskeyProof, Key: "k1", Name: "lap\u202etop", At: at, Verified: true,
		Signature: []byte("s"), ClientData: []byte("c"), AuthenticatorData: []byte("a"),
	}
	want := &question.Proof{Kind: question.PasskeyProof, Key: "k1", Name: question.Line("lap\u202etop"), At: at.UTC(), Verified: true}
	if got := p.Public(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	data, err := json.Marshal(p)
	fatal.If(t, err)
	var read question.Proof
	if err := json.Unmarshal(data, &read); err != nil || read.Verified || string(read.Signature) != "s" {
		t.Errorf("%s is read as %+v, %v", data, read, err)
	}
	for _, p := range []*question.Proof{nil, {}, &read} {
		if got := p.Public(); got != nil {
			t.Errorf("%+v has the proof %+v", p, got)
		}
	}
}
