package question

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// auth is a set with every type, three levels of follow-ups and an optional
// question.
func auth() Set {
	return Set{Questions: []Question{
		{ID: "q1", Text: "Which method?", Header: "Auth", Type: SingleChoice, Required: true, AllowCustom: true, Options: []Option{
			{ID: "jwt", Label: "JWT"},
			{ID: "oauth2", Label: "OAuth 2.0", FollowUps: []Question{
				{ID: "q2", Text: "Which providers?", Type: MultiChoice, Required: true, Options: []Option{
					{ID: "google", Label: "Google"},
					{ID: "github", Label: "GitHub", FollowUps: []Question{
						{ID: "q3", Text: "Which organisation?", Type: Text, Required: true},
					}},
				}},
			}},
		}},
		{ID: "q4", Text: "Log it?", Type: Boolean, Options: []Option{{ID: YesID, Label: "Yes"}, {ID: NoID, Label: "No"}}},
	}}
}

func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		name  string
		reply Reply
		want  string // the answers in normal form, or the violations
	}{
		{"plain", Reply{Answers: []Answer{{QuestionID: "q1", Selected: []string{"jwt"}}}}, "q1=jwt"},
		{"normal order", Reply{Answers: []Answer{
			{QuestionID: "q4", Selected: []string{NoID}},
			{QuestionID: "q3", Custom: "  acme \n"},
			{QuestionID: "q2", Selected: []string{"github", "google", "github"}},
			{QuestionID: "q1", Selected: []string{"oauth2"}},
		}}, "q1=oauth2 q2=google,github q3=(acme) q4=false"},
		{"other", Reply{Answers: []Answer{{QuestionID: "q1", Custom: "SAML"}}}, "q1=(SAML)"},
		{"required left open", Reply{}, "answers.q1: an answer is required"},
		{"blank text is no answer", Reply{Answers: []Answer{{QuestionID: "q1", Custom: " \n"}}}, "answers.q1: an answer is required"},
		{"required follow-up", Reply{Answers: []Answer{{QuestionID: "q1", Selected: []string{"oauth2"}}}}, "answers.q2: an answer is required"},
		{"not shown", Reply{Answers: []Answer{{QuestionID: "q1", Selected: []string{"jwt"}}, {QuestionID: "q3", Custom: "x"}}}, "answers.q3: this question was not shown"},
		{"no such question", Reply{Answers: []Answer{{QuestionID: "q1", Selected: []string{"jwt"}}, {QuestionID: "zz"}}}, "answers.zz: no such question"},
		{"twice", Reply{Answers: []Answer{{QuestionID: "q1", Selected: []string{"jwt"}}, {QuestionID: "q1", Custom: "x"}}}, "answers.q1: answered twice"},
		{"no such option", Reply{Answers: []Answer{{QuestionID: "q1", Selected: []string{"ldap"}}}}, `answers.q1: "ldap" is none of the options: jwt, oauth2`},
		{"two for one", Reply{Answers: []Answer{{QuestionID: "q1", Selected: []string{"jwt"}, Custom: "x"}}}, "answers.q1: takes one choice, got 2"},
		{"free text where none is allowed", Reply{Answers: []Answer{{QuestionID: "q1", Selected: []string{"jwt"}}, {QuestionID: "q4", Custom: "maybe"}}}, "answers.q4: takes no free text; choose one of: true, false"},
		{"too long", Reply{Answers: []Answer{{QuestionID: "q1", Custom: strings.Repeat("字", MaxText+1)}}}, "answers.q1: must be at most 10000 characters long, is 10001"},
		{"longest", Reply{Answers: []Answer{{QuestionID: "q1", Custom: strings.Repeat("字", MaxText)}}}, "q1=(" + strings.Repeat("字", MaxText) + ")"},
		{"dismissed", Reply{Dismissed: true, Reason: " later "}, "dismissed later"},
		{"dismissed with an answer", Reply{Dismissed: true, Answers: []Answer{{QuestionID: "q1"}}}, "answers: a dismissal carries no answers and no note"},
		{"discussed with one of two required", Reply{Discuss: true, Note: " which first? ", Answers: []Answer{{QuestionID: "q1", Custom: "x"}}}, "q1=(x) discuss which first?"},
		{"discussed with nothing", Reply{Discuss: true}, " discuss "},
		{"dismissed and discussed", Reply{Dismissed: true, Discuss: true}, "answers: a dismissal carries no answers and no note"},
		{"every fault", Reply{Answers: []Answer{{QuestionID: "q1", Selected: []string{"a", "b"}}}, Reason: "x"},
			`reason: goes with a dismissal only|answers.q1: "a" is none of the options: jwt, oauth2|answers.q1: "b" is none of the options: jwt, oauth2|answers.q1: takes one choice, got 2`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, before := auth(), fmt.Sprint(tc.reply)
			got, err := s.Check(tc.reply)
			if fmt.Sprint(tc.reply) != before {
				t.Errorf("Check changed its argument: %+v", tc.reply)
			}
			var text string
			switch v, bad := errors.AsType[Violations](err); {
			case bad:
				var lines []string
				for _, x := range v {
					lines = append(lines, x.String())
				}
				text = strings.Join(lines, "|")
			case got.Dismissed:
				text = "dismissed " + got.Reason
			default:
				text = answersText(got.Answers)
			}
			if err == nil && got.Discuss {
				text += " discuss " + got.Note
			}
			if text != tc.want {
				t.Errorf("got  %s\nwant %s", text, tc.want)
			}
		})
	}
}

func answersText(answers []Answer) string {
	var parts []string
	for _, a := range answers {
		p := a.QuestionID + "=" + strings.Join(a.Selected, ",")
		if a.Custom != "" {
			p += "(" + a.Custom + ")"
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, " ")
}

func TestValidate(t *testing.T) {
	long := strings.Repeat("选", 13)
	choice := func(edit func(*Question)) Set {
		q := Question{ID: "q1", Text: "Which?", Type: SingleChoice, Options: []Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}}
		edit(&q)
		return Set{Questions: []Question{q}}
	}
	deep := func(levels int) Set {
		q := Question{ID: "q0", Text: "0?", Type: Text}
		for i := 1; i <= levels; i++ {
			id := string(rune('0' + i))
			q = Question{ID: "q" + id, Text: id + "?", Type: SingleChoice, Options: []Option{{ID: "a", Label: "A", FollowUps: []Question{q}}, {ID: "b", Label: "B"}}}
		}
		return Set{Questions: []Question{q}}
	}
	for _, tc := range []struct {
		name    string
		set     Set
		want    string
		lenient string // what is left of it for the MCP tool
	}{
		{"good", auth(), "", ""},
		{"twelve Chinese characters fit", choice(func(q *Question) { q.Header = strings.Repeat("选", 12) }), "", ""},
		{"none", Set{}, "questions: must have 1 to 4 questions, has 0", "same"},
		{"five", Set{Questions: make([]Question, 5)}, "", ""}, // counted below
		{"empty question", choice(func(q *Question) { q.Text = " " }), "questions[0].question: is required and must not be empty", "same"},
		{"long header", choice(func(q *Question) { q.Header = long }), "questions[0].header: must be at most 12 characters long, is 13", ""},
		{"one option", choice(func(q *Question) { q.Options = q.Options[:1] }), "questions[0].options: must have 2 to 4 options, has 1: without options the answer is free text", "same"},
		{"one option and an Other", choice(func(q *Question) { q.Options = q.Options[:1]; q.Other = &Option{Label: "Other"} }), "", ""},
		{"long label", choice(func(q *Question) { q.Options[1].Label = strings.Repeat("x", 51) }), "questions[0].options[1].label: must be at most 50 characters long, is 51", ""},
		{"long description", choice(func(q *Question) { q.Options[1].Description = strings.Repeat("x", 201) }), "questions[0].options[1].description: must be at most 200 characters long, is 201", ""},
		{"empty label", choice(func(q *Question) { q.Options[0].Label = "" }), "questions[0].options[0].label: is required and must not be empty", "same"},
		{"same label", choice(func(q *Question) { q.Options[1].Label = "A" }), "questions[0].options[1].label: the same label as questions[0].options[0].label", "same"},
		{"same id", choice(func(q *Question) { q.Options[1].ID = "a" }), "questions[0].options[1].id: the same id as questions[0].options[0].id", "same"},
		{"two defaults for one choice", choice(func(q *Question) { q.Options[0].Default, q.Options[1].Default = true, true }), "questions[0].options: only one option may be the default, 2 are", "same"},
		{"unknown type", choice(func(q *Question) { q.Type = "slider" }), `questions[0].type: must be one of: ` + strings.Join(Types(), ", ") + `; is "slider"`, "same"},
		{"text with options", choice(func(q *Question) { q.Type = Text }), "questions[0].options: a text question takes no options", "same"},
		{"boolean with options", choice(func(q *Question) { q.Type = Boolean }), "questions[0].options: a boolean question takes no options of its own; use multiple_choice", "same"},
		{"collected answer that does not fit", choice(func(q *Question) { q.Collected = &Answer{Selected: []string{"c"}} }), `answers.q1: "c" is none of the options: a, b`, "same"},
		{"three levels of follow-ups", deep(3), "", ""},
		{"four levels of follow-ups", deep(4), "questions[0].follow_up_questions.a[0].follow_up_questions.a[0].follow_up_questions.a[0].follow_up_questions.a: follow-up questions may be nested 3 levels deep", "same"},
		{"same text and id below an option", choice(func(q *Question) { q.Options[0].FollowUps = []Question{{ID: "q1", Text: "Which?", Type: Text}} }),
			"questions[0].follow_up_questions.a[0].question: the same text as questions[0].question|questions[0].follow_up_questions.a[0].question_id: the same id as questions[0].question_id", "same"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := DefaultLimits()
			check := func(want string) {
				t.Helper()
				var lines []string
				for _, x := range tc.set.Validate(l) {
					lines = append(lines, x.String())
				}
				if tc.name == "five" {
					lines, want = lines[:1], "questions: must have 1 to 4 questions, has 5: ask the others in another call"
				}
				if got := strings.Join(lines, "|"); got != want {
					t.Errorf("lenient %v:\ngot  %s\nwant %s", l.Lenient, got, want)
				}
			}
			check(tc.want)
			if l.Lenient = true; tc.lenient == "same" {
				tc.lenient = tc.want
			}
			check(tc.lenient)
		})
	}
}

func TestDefaultReply(t *testing.T) {
	with := func(edit func(*Set)) Set {
		s := auth()
		edit(&s)
		return s
	}
	oauth := func(s *Set) { s.Questions[0].Options[1].Default = true }
	providers := func(s *Set) { s.Questions[0].Options[1].FollowUps[0].Options[0].Default = true }
	for _, tc := range []struct {
		name string
		set  Set
		want string
	}{
		{"none declared", auth(), ""},
		{"optional only", with(func(s *Set) { s.Questions[1].Options[0].Default = true }), ""}, // the required one has none
		{"required", with(func(s *Set) { s.Questions[0].Options[0].Default = true }), "q1=jwt"},
		{"a follow-up without", with(oauth), ""},
		{"a follow-up with", with(func(s *Set) { oauth(s); providers(s) }), "q1=oauth2 q2=google"},
		{"text", Set{Questions: []Question{{ID: "t", Text: "Name?", Type: Text, Required: true, Default: "x"}}}, "t=(x)"},
		{"nothing to fill", Set{Questions: []Question{{ID: "t", Text: "Name?", Type: Text}}}, ""},
	} {
		r, ok := tc.set.DefaultReply()
		if got := answersText(r.Answers); got != tc.want || ok != (tc.want != "") {
			t.Errorf("%s: %q, %v; want %q", tc.name, got, ok, tc.want)
		}
		for _, a := range r.Answers {
			if a.By != ByTimeout {
				t.Errorf("%s: %s counts as %s's", tc.name, a.QuestionID, a.By)
			}
		}
		if _, err := tc.set.Check(r); ok && err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// What was left to the agent is no answer of the user's, also where one is required, and no yes
// or no is ever left to it.
func TestDelegated(t *testing.T) {
	set := Set{Questions: []Question{
		{ID: "db", Text: "Which?", Type: SingleChoice, Required: true, Options: []Option{{ID: "a", Label: "A (Recommended)"}, {ID: "b", Label: "B", Default: true}}},
		{ID: "ok", Text: "Now?", Type: Boolean, Required: true, Options: YesAndNo()},
	}}
	both := Reply{Answers: []Answer{{QuestionID: "db", Delegated: true}, {QuestionID: "ok", Delegated: true}}}
	if _, err := set.Check(both); err == nil || err.Error() != "Validation failed\n- answers.ok: an answer is required" {
		t.Errorf("a yes that is left to the agent: %v", err)
	}
	both.Answers[1] = Answer{QuestionID: "ok", Selected: []string{YesID}, Delegated: true}
	r, err := set.Check(both)
	if err != nil || !r.Answers[0].Delegated || r.Answers[1].Delegated {
		t.Fatalf("%+v, %v", r, err)
	}
	got := set.Responses(&r)
	if got[0].State != StateDelegated || got[0].Answer != nil || got[0].By() != "" || got[0].Recommended() != "A (Recommended)" || got[1].State != StateAnswered {
		t.Errorf("%+v", got)
	}
	r, err = set.Check(Reply{Answers: []Answer{{QuestionID: "db", Selected: []string{"b"}, Delegated: true}, both.Answers[1]}})
	if err != nil || r.Answers[0].Delegated {
		t.Errorf("an answer beside it: %+v, %v", r, err)
	}
}
