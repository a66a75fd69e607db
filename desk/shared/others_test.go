//go:build unix

package shared_test

import (
	"slices"
	"strings"
	"testing"

	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// An agent hides no question of another by an outcome that it stores under its own name and the
// id of that question.
func TestAnAgentHidesNoQuestion(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 1)
	bot, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Human, "alice")
	row := storetest.Ask(t, bot, "Which?")
	evil := c.Connect(nodes.Agent, "other", make(chan error, 10))
	ack, err := evil.Request("_R_.ask.r.other."+row.ID+".a.other", []byte(`{"outcome":"Tm8="}`), sharedtest.Patience)
	if err != nil || strings.Contains(string(ack.Data), "error") {
		t.Fatalf("%v, %v", ack, err)
	}
	open := idsOf(t, alice, store.Query{Open: true})
	if len(open) != 1 || open[0] != row.ID {
		t.Errorf("open are %q, not %s", open, row.ID)
	}
}

// A question of one agent does not become the one that a ticket of another leads to: only its
// asker and humans go back to a question.
func TestAnAgentReopensNoQuestionOfAnother(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 1)
	bot, other, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Agent, "other"), c.Open(nodes.Human, "alice")
	row := storetest.Ask(t, bot, "Delete it?")
	storetest.Answer(t, alice, row.ID, "No")
	again := func(text string) store.Row {
		r := storetest.NewRow(text)
		r.Earlier = row.ID
		return r
	}
	_, err := other.Ask(t.Context(), again("Tea?"))
	fatal.If(t, err)
	reopened := idsOf(t, bot, store.Query{Earlier: row.ID})
	if len(reopened) > 0 {
		t.Errorf("the ticket leads to %q", reopened)
	}
	own, err := alice.Ask(t.Context(), again("Delete it?"))
	if err != nil {
		t.Fatalf("a human cannot reopen it: %v", err)
	}
	reopened = idsOf(t, bot, store.Query{Earlier: row.ID})
	if len(reopened) != 1 || reopened[0] != own.ID {
		t.Errorf("the ticket leads to %q, not to %s", reopened, own.ID)
	}
}

func idsOf(t *testing.T, s store.Store, q store.Query) (ids []string) {
	t.Helper()
	for row, err := range s.Rows(t.Context(), q) {
		fatal.If(t, err)
		ids = append(ids, row.ID)
	}
	return ids
}

// An agent that stores nonsense as the outcome of its own question spoils that question alone, and
// no list of others.
func TestNonsenseSpoilsNoList(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 1)
	bot, other, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Agent, "other"), c.Open(nodes.Human, "alice")
	spoilt := storetest.Ask(t, other, "Spoilt?")
	before, err := alice.Revision(t.Context())
	fatal.If(t, err)
	evil := c.Connect(nodes.Agent, "other", make(chan error, 10))
	ack, err := evil.Request("_R_.ask.r.other."+spoilt.ID+".a.other", []byte("nonsense"), sharedtest.Patience)
	if err != nil || strings.Contains(string(ack.Data), "error") {
		t.Fatalf("%v, %v", ack, err)
	}
	row := storetest.Ask(t, bot, "Which?")
	storetest.Answer(t, alice, row.ID, "Yes")
	for name, q := range map[string]store.Query{"ended": {Ended: true}, "changed": {After: before}} {
		if ids := idsOf(t, alice, q); !slices.Contains(ids, row.ID) {
			t.Errorf("%s are %q", name, ids)
		}
	}
	got, err := alice.Get(t.Context(), spoilt.ID)
	if err != nil || got.Outcome == nil {
		t.Errorf("the spoilt one: %+v, %v", got, err)
	}
}
