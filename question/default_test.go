package question

import "testing"

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
