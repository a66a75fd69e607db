package question

import "testing"

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
