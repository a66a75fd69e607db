//go:build unix

package shared_test

import (
	"context"
	"errors"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/shared"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// capturing keeps an outcome back, as a human may who gives it to an agent.
type capturing struct {
	store.Store
	kept store.Ending
}

func (s *capturing) Answer(_ context.Context, _ string, end store.Ending) error {
	s.kept = end
	return nil
}

// The answers of a human who answers no more stay. What they sign from then on counts no more, as no
// other credential may store it.
func formerHuman(t *testing.T, c *sharedtest.Cluster) {
	bot, bob := c.Open(nodes.Agent, "bot"), c.Open(nodes.Human, "bob")
	asker := desk.New(bot, desk.Options{Credential: bot})
	ask := func(text string) desk.Record {
		set := question.Set{Questions: []question.Question{{ID: "q1", Type: question.Text, Text: text}}}
		rec, _, err := asker.Submit(t.Context(), desk.Request{Set: set, Asker: desk.Asker{Client: "test"}})
		fatal.If(t, err)
		return rec
	}
	answer := func(s store.Store, rec desk.Record) {
		said := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: "Yes"}}}
		_, err := desk.New(s, desk.Options{Credential: bob}).Reply(t.Context(), rec.ID, said, desk.Evidence{How: desk.HowPage})
		fatal.If(t, err)
	}
	before, after := ask("Before?"), ask("After?")
	answer(bob, before)
	secret := &capturing{Store: bob}
	answer(secret, after)
	err := bot.Answer(t.Context(), after.ID, secret.kept)
	fatal.If(t, err)

	now, _, err := bot.Humans(t.Context())
	fatal.If(t, err)
	humans := shared.Humans{Now: map[string]string{}, Former: map[string]string{}}
	for key, name := range now {
		if name == "bob" {
			humans.Former[key] = name
		} else {
			humans.Now[key] = name
		}
	}
	err = c.Open(nodes.Operator, "").Create(t.Context(), 1, humans)
	fatal.If(t, err)
	reader := c.Open(nodes.Agent, "other")
	for id, want := range map[string]desk.Status{before.ID: desk.Answered, after.ID: desk.Failed} {
		got, err := desk.New(reader, desk.Options{Credential: reader}).Get(t.Context(), id)
		if err != nil || got.State != want {
			t.Errorf("%s is %s, %v, want %s", got.Questions[0].Text, got.State, err, want)
		}
	}
	again := c.Open(nodes.Human, "bob") // which has read no list before
	_, err = desk.New(again, desk.Options{Credential: again}).Reply(t.Context(), ask("Late?").ID,
		question.Reply{Dismissed: true}, desk.Evidence{How: desk.HowPage})
	if !errors.Is(err, desk.ErrDenied) {
		t.Errorf("one who answers no more dismisses a question: %v", err)
	}
}
