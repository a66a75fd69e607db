//go:build unix

package shared_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// Tests on one node. Each begins with an empty desk.
func TestOneNode(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 1)
	for name, test := range map[string]func(*testing.T, *sharedtest.Cluster){
		"the server refuses":                      theServerRefuses,
		"our program is denied":                   isDenied,
		"a process answers nowhere else":          answersNowhereElse,
		"humans sign":                             humansSign,
		"a limit reads few":                       limitReadsFew,
		"a row is lost":                           lost,
		"own subjects do no harm":                 ownSubjectsDoNoHarm,
		"an agent reopens no question of another": reopensNoQuestionOfAnother,
		"an agent joins no session of another":    joinsNoSessionOfAnother,
		"a process that sleeps holds up no other": asleep,
		"an acknowledgement is lost":              lostAcknowledgement,
		"a desk is away at a release":             releasedAway,
		"a human answers no more":                 formerHuman,
		"a desk is changed":                       changedDesk,
		"all changes are read":                    readsAllChanges,
	} {
		t.Run(name, func(t *testing.T) {
			c.Empty()
			test(t, c)
		})
	}
}

// What an agent stores under its own name does no harm to others: a document that is no question,
// one under the id of another, an outcome over a human's, or nonsense as the outcome of its own
// question. It spoils that question alone, and no list of others.
func ownSubjectsDoNoHarm(t *testing.T, c *sharedtest.Cluster) {
	bot, other, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Agent, "other"), c.Open(nodes.Human, "alice")
	spoilt := storetest.Ask(t, other, "Spoilt?")
	before, err := alice.Revision(t.Context())
	fatal.If(t, err)
	answered, open := storetest.Ask(t, bot, "Which?"), storetest.Ask(t, bot, "And then?")
	storetest.Answer(t, alice, answered.ID, "Yes")
	for from, documents := range map[string]map[string]string{
		"other": {
			"other." + answered.ID + ".q.-.-.-.-": "", "other.x.q.-.-.-.-": "", "other." + answered.ID + ".a.other": "",
			"other." + open.ID + ".a.other": "", "other." + spoilt.ID + ".a.other": "nonsense",
		},
		"bot": {"bot." + answered.ID + ".a.bot": ""},
	} {
		nc := c.Connect(nodes.Agent, from, make(chan error, 10))
		for subject, document := range documents {
			if document == "" {
				document = `{"outcome":"Tm8="}`
			}
			publish(t, nc, "_R_.ask.r."+subject, document)
		}
	}
	for name, tc := range map[string]struct {
		q    store.Query
		want []string
	}{
		"open":    {store.Query{Open: true}, []string{open.ID}},
		"ended":   {store.Query{Ended: true}, []string{spoilt.ID, answered.ID}},
		"changed": {store.Query{After: before}, []string{spoilt.ID, answered.ID, open.ID}},
	} {
		got := idsOf(t, alice, tc.q)
		slices.Sort(got)
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s are %q, want %q", name, got, tc.want)
		}
	}
	got, err := alice.Get(t.Context(), answered.ID)
	if err != nil || got.Owner != "bot" || string(got.Outcome) != "Yes" {
		t.Errorf("of %s: %q, %v", got.Owner, got.Outcome, err)
	}
	got, err = alice.Get(t.Context(), spoilt.ID)
	if err != nil || got.Outcome == nil {
		t.Errorf("the spoilt one: %+v, %v", got, err)
	}
}

// publish has the stream store a document, without our program.
func publish(t *testing.T, nc *nats.Conn, subject, document string) {
	t.Helper()
	ack, err := nc.Request(subject, []byte(document), sharedtest.Patience)
	if err != nil || strings.Contains(string(ack.Data), "error") {
		t.Fatalf("%s: %v, %v", subject, ack, err)
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

// A question of one agent does not become the one that a ticket of another leads to: only its
// asker and humans go back to a question.
func reopensNoQuestionOfAnother(t *testing.T, c *sharedtest.Cluster) {
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

// An agent adds no rounds to the session of another, which could be refused for them: an agent sees
// its own rows and those of humans there, a human all.
func joinsNoSessionOfAnother(t *testing.T, c *sharedtest.Cluster) {
	bot, other, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Agent, "other"), c.Open(nodes.Human, "alice")
	ask := func(s store.Store, text string) string {
		row := storetest.NewRow(text)
		row.Session, row.Run = "s", "r"
		row, err := s.Ask(t.Context(), row)
		fatal.If(t, err)
		return row.ID
	}
	own, reopened, foreign := ask(bot, "Mine?"), ask(alice, "Again?"), ask(other, "Not theirs?")
	for name, q := range map[string]store.Query{"session": {Session: "s"}, "run": {Run: "r"}} {
		if got := idsOf(t, bot, q); !slices.Equal(got, []string{reopened, own}) {
			t.Errorf("%s of the agent: %q", name, got)
		}
		if got := idsOf(t, alice, q); !slices.Equal(got, []string{foreign, reopened, own}) {
			t.Errorf("%s for a human: %q", name, got)
		}
	}
}

// A list of the last few rows, or of what is open, does not read all that a desk has.
func limitReadsFew(t *testing.T, c *sharedtest.Cluster) {
	bot, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Human, "alice")
	var last []string
	for range 30 {
		refused := storetest.NewRow("Again?")
		refused.Outcome = []byte("Refused")
		_, err := bot.Ask(t.Context(), refused)
		fatal.If(t, err)
	}
	for range 30 {
		row := storetest.Ask(t, bot, "Which?")
		storetest.Answer(t, alice, row.ID, "Yes")
		fatal.If(t, bot.Delivered(t.Context(), row.ID))
		last = append([]string{row.ID}, last...)
	}
	operator := c.Connect(nodes.Operator, "", make(chan error, 10))
	reads, err := operator.SubscribeSync("$JS.API.STREAM.MSG.GET.ASK")
	fatal.If(t, err)
	fatal.If(t, operator.Flush())
	found := idsOf(t, alice, store.Query{Ended: true, Limit: 2})
	if len(found) != 2 || found[0] != last[0] || found[1] != last[1] {
		t.Errorf("the last are %q, not %q", found, last[:2])
	}
	none := idsOf(t, alice, store.Query{Open: true, Limit: 2, Search: []string{"nothing"}})
	none = append(none, idsOf(t, alice, store.Query{Ended: true, Since: time.Now().Add(time.Hour)})...)
	if len(none) > 0 {
		t.Errorf("found %q", none)
	}
	fatal.If(t, operator.Flush())
	n, _, err := reads.Pending()
	if err != nil || n > 30 {
		t.Errorf("%d reads, %v", n, err)
	}
}

func TestContract(t *testing.T) {
	for name, n := range map[string]int{"one node": 1, "three nodes": 3} {
		t.Run(name, func(t *testing.T) {
			if os.Getenv("ROUNDS") == "" && n == 3 {
				t.Skip("ROUNDS runs it")
			}
			t.Parallel()
			c := sharedtest.Start(t, n)
			storetest.Run(t, storetest.Without{Files: true, Prune: true}, func(t *testing.T) func() storetest.Process {
				c.Empty()
				return func() storetest.Process { return c.Open(nodes.Human, "alice") }
			})
		})
	}
}
