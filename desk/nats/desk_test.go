//go:build unix

package nats_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/storetest"
	"mcp-askuser/question"
)

func request(text string) desk.Request {
	return desk.Request{Session: "s", Asker: desk.Asker{Client: "test", Via: "mcp"}, Set: question.Set{Questions: []question.Question{{
		ID: "q1", Text: text, Type: question.SingleChoice, Required: true,
		Options: []question.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}},
	}}}}
}

// confirmation is a request to which an answer can be proven.
func confirmation(text string) desk.Request {
	r := request(text)
	r.Set.Questions[0].Type, r.Set.Questions[0].Options = question.Boolean, question.YesAndNo()
	return r
}

func says(option string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}}}}
}

// A human's outcome is swept though the human was away for longer than it is said
// that it was collected.
func TestSweepAfterAnAbsence(t *testing.T) {
	c := natstest.Start(t, 1)
	agent := desk.New(c.Open(natstest.Account, nodes.Agent, "bot"), desk.Options{})
	store := c.Open(natstest.Account, nodes.Human, "alice")
	human := desk.New(store, desk.Options{})
	var ids []string
	for _, text := range []string{"Collected?", "Kept?"} {
		rec, attendance, err := agent.Submit(t.Context(), request(text))
		if err != nil {
			t.Fatal(err)
		}
		attendance.Release()
		if _, err := human.Reply(t.Context(), rec.ID, says("a"), desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, rec.ID)
	}
	if err := agent.Archive(t.Context(), ids[0]); err != nil {
		t.Fatal(err)
	}
	operator := c.Connect(natstest.Account, nodes.Operator, "", make(chan error, 10))
	there := func(subject string) bool {
		m, err := operator.Request("$JS.API.STREAM.INFO.ASK", []byte(`{"subjects_filter":"`+subject+`"}`), natstest.Patience)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(m.Data), `"`+subject+`"`)
	}
	// The day is over in a second.
	m := natsgo.NewMsg("_R_.ask.end.bot." + ids[0] + ".collected.bot")
	m.Header.Set("Ask-Op", "del")
	m.Header.Set("Nats-TTL", "1s")
	if _, err := operator.RequestMsg(m, natstest.Patience); err != nil {
		t.Fatal(err)
	}
	natstest.Await(t, func() error {
		if there(m.Subject) {
			return errors.New("the day is not over")
		}
		return nil
	})
	outcome := func(id string) string { return "_R_.ask.end.bot." + id + ".human.alice" }
	natstest.Await(t, func() error {
		for _, err := range store.List(t.Context(), desk.KindReplies, desk.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
		}
		if there(outcome(ids[0])) {
			return errors.New("the outcome stays")
		}
		return nil
	})
	if !there(outcome(ids[1])) {
		t.Error("an outcome that nobody has collected was swept")
	}
	if got, err := human.Get(t.Context(), ids[0]); err != nil || got.State != desk.Answered || got.Outcome.Answerer.Name != "alice" {
		t.Errorf("it is %s by %+v, %v", got.State, got.Outcome, err)
	}
}

// What a human said is not swept before the server has its copy: that alone says
// whose it was, once the outcome has gone.
func TestSweepWaitsForTheCopy(t *testing.T) {
	c := natstest.Start(t, 1)
	said := nats.Streams(1)[2]
	said.Sources = nil // as while the server copies nothing, for its leader has died
	config, err := json.Marshal(said)
	if err != nil {
		t.Fatal(err)
	}
	operator := c.Connect(natstest.Account, nodes.Operator, "", make(chan error, 10))
	if m, err := operator.Request("$JS.API.STREAM.UPDATE."+said.Name, config, natstest.Patience); err != nil || strings.Contains(string(m.Data), `"error"`) {
		t.Fatalf("%v, %v", m, err)
	}
	agent := desk.New(c.Open(natstest.Account, nodes.Agent, "bot"), desk.Options{})
	store := c.Open(natstest.Account, nodes.Human, "alice")
	human := desk.New(store, desk.Options{})
	rec, attendance, err := agent.Submit(t.Context(), request("Which?"))
	if err != nil {
		t.Fatal(err)
	}
	attendance.Release()
	if _, err := human.Reply(t.Context(), rec.ID, says("a"), desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	if err := agent.Archive(t.Context(), rec.ID); err != nil {
		t.Fatal(err)
	}
	sweep := func() {
		if err := nats.Sweep(store, t.Context(), "_R_.ask.end.bot."+rec.ID+".human.alice"); err != nil {
			t.Fatal(err)
		}
	}
	sweep()
	look := func() {
		t.Helper()
		if got, err := human.Get(t.Context(), rec.ID); err != nil || got.State != desk.Answered || got.Outcome.Answerer == nil || got.Outcome.Answerer.Name != "alice" {
			t.Errorf("it is %s by %+v, %v", got.State, got.Outcome, err)
		}
	}
	look()
	if err := c.Open(natstest.Account, nodes.Operator, "").Make(t.Context(), 1, false); err != nil {
		t.Fatal(err)
	}
	for outcomes := 1; outcomes > 0; { // until it is swept, all the same
		sweep()
		m, err := operator.Request("$JS.API.STREAM.INFO.ASK", []byte(`{"subjects_filter":"_R_.ask.end.*.*.human.alice"}`), natstest.Patience)
		if err != nil {
			t.Fatal(err)
		}
		outcomes = strings.Count(string(m.Data), ".human.alice")
		look()
	}
}

// An answer in the archive has not failed because the server's copy of it, which
// alone says whose it was, is out of reach.
func TestCopyOutOfReach(t *testing.T) {
	c := natstest.Start(t, 1)
	store := c.Open(natstest.Account, nodes.Agent, "bot")
	alice := c.Open(natstest.Account, nodes.Human, "alice")
	agent := desk.New(store, desk.Options{})
	a := archive(t, agent, desk.New(alice, desk.Options{}))[0]
	sweep(t, c, alice, a.ID)
	operator := c.Connect(natstest.Account, nodes.Operator, "", make(chan error, 10))
	if m, err := operator.Request("$JS.API.STREAM.DELETE."+nats.StreamHuman, nil, natstest.Patience); err != nil || strings.Contains(string(m.Data), `"error"`) {
		t.Fatalf("%v, %v", m, err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	if rec, err := agent.Get(ctx, a.ID); err == nil {
		t.Errorf("it is %s", rec.State)
	}
}

// sweep removes the outcome that alice gave to a record, of which the server has its
// copy.
func sweep(t *testing.T, c *natstest.Cluster, alice *nats.Store, id string) {
	t.Helper()
	operator := c.Connect(natstest.Account, nodes.Operator, "", make(chan error, 10))
	subject := "_R_.ask.end.bot." + id + ".human.alice"
	natstest.Await(t, func() error {
		if err := nats.Sweep(alice, t.Context(), subject); err != nil {
			return err
		}
		m, err := operator.Request("$JS.API.STREAM.INFO.ASK", []byte(`{"subjects_filter":"`+subject+`"}`), natstest.Patience)
		if err == nil && strings.Contains(string(m.Data), `"`+subject+`"`) {
			err = errors.New("the outcome stays")
		}
		return err
	})
}

// Clocks an hour apart change nothing that counts: who was first, whose the
// answer is, what is open, what is kept.
func TestClocksApart(t *testing.T) {
	c := natstest.Start(t, 1)
	at := func(ahead time.Duration) desk.Options {
		return desk.Options{Now: func() time.Time { return time.Now().Add(ahead) }}
	}
	for _, ahead := range []time.Duration{time.Hour, -time.Hour} {
		asking := desk.New(c.Open(natstest.Account, nodes.Agent, "bot"), at(ahead))
		human := desk.New(c.Open(natstest.Account, nodes.Human, "alice"), at(-ahead))
		rec, attendance, err := asking.Submit(t.Context(), request(ahead.String()))
		if err != nil {
			t.Fatal(err)
		}
		open, err := human.Pending(t.Context())
		if err != nil || len(open) != 1 || open[0].ID != rec.ID || !open[0].Attended {
			t.Fatalf("open: %v, %v", open, err)
		}
		if _, err := human.Reply(t.Context(), rec.ID, says("a"), desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
		got, err := asking.Wait(t.Context(), rec.ID)
		if err != nil || got.State != desk.Answered {
			t.Fatalf("the asker gets %s, %v", got.State, err)
		}
		attendance.Release()
		// It asks again, and gets what was not collected.
		again, attendance, err := asking.Submit(t.Context(), request(ahead.String()))
		if err != nil || again.ID != rec.ID || again.State != desk.Answered {
			t.Errorf("asked again: %s %s, %v", again.ID, again.State, err)
		}
		attendance.Release()
		if err := asking.Archive(t.Context(), rec.ID); err != nil {
			t.Error(err)
		}
		n := 0
		for past, err := range human.History(t.Context(), desk.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			if past.ID == rec.ID {
				n++
			}
		}
		if n != 1 {
			t.Errorf("it is in the past %d times", n)
		}
	}
}

// Many records are read at once, and those that went in this moment are gone.
func TestManyRecords(t *testing.T) {
	c := natstest.Start(t, 3)
	const n = 600
	asking := c.Open(natstest.Account, nodes.Agent, "bot")
	agent := desk.New(asking, desk.Options{})
	ids := make([]string, n)
	var asks sync.WaitGroup
	for w := range 8 {
		asks.Go(func() {
			for i := w; i < n; i += 8 {
				r := request(fmt.Sprint(i))
				r.Session = ""
				rec, attendance, err := agent.Submit(t.Context(), r)
				if err != nil {
					t.Error(err)
					return
				}
				if ids[i] = rec.ID; i%2 == 0 {
					attendance.Release()
				}
			}
		})
	}
	asks.Wait()
	for _, d := range []*desk.Desk{agent, desk.New(c.Open(natstest.Account, nodes.Human, "alice"), desk.Options{})} {
		if err := asking.Delete(t.Context(), desk.KindPending, ids[0]); err != nil {
			t.Fatal(err)
		}
		ids = ids[1:]
		all, err := d.Pending(t.Context())
		if err != nil || len(all) != len(ids) {
			t.Fatalf("%d are open, want %d: %v", len(all), len(ids), err)
		}
		attended := 0
		for _, rec := range all {
			if rec.Attended {
				attended++
			}
		}
		if attended < n/2-2 || attended > n/2 {
			t.Errorf("%d are attended", attended)
		}
	}
}

// Whoever is told of a change and reads finds it: the watch comes from whatever
// node, and the reads from the leader.
func TestWatchIsNotAhead(t *testing.T) {
	c := natstest.Start(t, 3)
	asking := c.Open(natstest.Account, nodes.Agent, "bot")
	for range 3 { // each has its consumer at a node of its own
		s := c.Open(natstest.Account, nodes.Human, "alice")
		ctx, cancel := context.WithTimeout(t.Context(), natstest.Patience)
		changes, err := s.Watch(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 100 {
			id := storetest.Own(t, asking, storetest.ID(2026, 11, n))
			go func() { _ = asking.Create(ctx, desk.KindPending, id, []byte("{}")) }()
			select {
			case c := <-changes:
				if c.ID == "" || c.Removed {
					t.Fatalf("told of %+v", c)
				}
				if _, err := s.Get(ctx, desk.KindPending, c.ID); err != nil {
					t.Fatalf("told of %s, and there is: %v", c.ID, err)
				}
			case <-ctx.Done():
				t.Fatal("waited in vain")
			}
		}
		cancel()
		c.Empty(natstest.Account)
	}
}
