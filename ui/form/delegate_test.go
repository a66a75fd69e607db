package form

import (
	"strings"
	"testing"
)

// ctrl+y leaves a question to the agent, Enter confirms it, and a choice takes it back; a yes or
// no is never left to it.
func TestDelegate(t *testing.T) {
	r := open(t, 80, 24, database())
	r.keys("ctrl+y")
	if !strings.Contains(r.screen(), "› (left to the agent)") {
		t.Errorf("the screen is\n%s", r.screen())
	}
	r.keys("2", "ctrl+y", "enter")
	if got := r.last(); len(got.Answers) != 1 || !got.Answers[0].Delegated || !got.Answers[0].Empty() {
		t.Errorf("sent %+v", got)
	}
	r = open(t, 80, 24, features())
	r.keys("ctrl+y", "down", "space", "enter")
	if got := r.last(); got.Answers[0].Delegated || got.Answers[0].Empty() {
		t.Errorf("sent %+v", got)
	}
	r = open(t, 80, 24, deploy())
	r.keys("ctrl+y", "enter")
	if len(r.sent) > 0 {
		t.Errorf("a yes or no was left to the agent: %+v", r.sent)
	}
}

// That a question is left to the agent, or open, is on the smallest screen too, below a long
// question.
func TestDelegatedIsSeen(t *testing.T) {
	q := chinese()
	q.Required = false
	for key, want := range map[string]string{"ctrl+y": "(left to the agent)", "s": "(skipped)"} {
		r := fresh(t, 40, 10, record(q)).show().keys("2", key)
		if s := r.screen(); !strings.Contains(s, want) {
			t.Errorf("%s is not on the screen:\n%s", want, s)
		}
	}
}
