//go:build unix

package home_test

import (
	"errors"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/storetest"
	"mcp-askuser/question"
)

// A human prunes the past of a shared desk, with its indexes, for all who share it; with
// an agent's credential nothing is pruned.
func TestPruneShared(t *testing.T) {
	c := natstest.Start(t, 1)
	past := time.Now().AddDate(0, 0, -3)
	old := desk.Options{Now: func() time.Time { return past }}
	agent, human := desk.New(open(t, c, nodes.Agent, "bot"), old), desk.New(open(t, c, nodes.Human, "alice"), desk.Options{})
	set := question.Set{Questions: []question.Question{{ID: "q1", Text: "Which?", Type: question.Text, Required: true}}}
	rec, err := storetest.Ask(t.Context(), agent, set, "s", desk.Asker{Client: "test", Directory: "/src", Via: "mcp"})
	if err != nil {
		t.Fatal(err)
	}
	reply := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "this"}}}
	if _, err := human.Reply(t.Context(), rec.ID, reply, desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	if err := agent.Archive(t.Context(), rec.ID); err != nil {
		t.Fatal(err)
	}
	before := time.Now().AddDate(0, 0, -1)
	for _, tc := range []struct {
		name, kind, who string
		denied          bool
		pruned          int
	}{{"an agent", nodes.Agent, "bot", true, 0}, {"a human", nodes.Human, "alice", false, 1}} {
		d := desk.New(open(t, c, tc.kind, tc.who), desk.Options{})
		months, err := d.Prune(t.Context(), before, false)
		if errors.Is(err, desk.ErrDenied) != tc.denied || len(months) != tc.pruned {
			t.Errorf("%s: %+v, %v", tc.name, months, err)
		}
	}
	if _, err := human.Get(t.Context(), rec.ID); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("it is still there: %v", err)
	}
	if rounds, err := human.Session(t.Context(), "s"); err != nil || len(rounds) > 0 {
		t.Errorf("its session has %v, %v", rounds, err)
	}
	for past, err := range human.History(t.Context(), desk.Query{}) {
		t.Errorf("in the history: %s, %v", past.ID, err)
	}
}
