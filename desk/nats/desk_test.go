//go:build unix

package nats_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
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

func says(option string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}}}}
}

// What an agent writes where it may write never counts as a human's answer:
// neither an outcome of its own that looks like one, nor an entry of the
// archive. The name of who answered is that of the credential.
func TestForgedAnswers(t *testing.T) {
	c := natstest.Start(t, 1)
	bot := c.Connect(natstest.Account, nodes.Agent, "bot", make(chan error, 10))
	var said bytes.Buffer
	asking := desk.New(c.Open(natstest.Account, nodes.Agent, "bot"), desk.Options{Log: slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	looking := desk.New(c.Open(natstest.Account, nodes.Human, "bob"), desk.Options{})
	store := func(subject string, value any) {
		t.Helper()
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		m := natsgo.NewMsg(subject)
		m.Header.Set("Ask-Op", "put")
		m.Data = data
		ack, err := bot.RequestMsg(m, natstest.Patience)
		if err != nil || !strings.Contains(string(ack.Data), `"seq"`) {
			t.Fatalf("%s is not stored: %v", subject, err)
		}
	}
	forged := func() desk.Outcome {
		r := says("a")
		r.Answers[0].By = question.ByUser
		return desk.Outcome{ID: "01M6GA60M060R30C1G60R30C1H", Status: desk.Answered, Reply: &r, Surface: "web", At: time.Now(), Answerer: &desk.Answerer{Name: "alice", PID: 1}}
	}

	first, attendance, err := asking.Submit(t.Context(), request("Outcome?"))
	if err != nil {
		t.Fatal(err)
	}
	attendance.Release()
	store("ask.end."+first.ID+".asker.bot", forged())
	if got, err := looking.Get(t.Context(), first.ID); err != nil || got.State != desk.Failed {
		t.Errorf("an outcome in the agent's own role: %s, %v", got.State, err)
	}

	second, attendance, err := asking.Submit(t.Context(), request("Archive?"))
	if err != nil {
		t.Fatal(err)
	}
	attendance.Release()
	o := forged()
	second.State, second.Outcome = o.Status, &o
	store("past.docs."+second.CreatedAt.Format("2006-01")+"."+second.ID, second)
	if got, err := looking.Get(t.Context(), second.ID); err != nil || got.State != desk.Pending {
		t.Errorf("an open one with an entry in the archive: %s, %v", got.State, err)
	}
	if err := c.Open(natstest.Account, nodes.Agent, "bot").Delete(t.Context(), desk.KindPending, second.ID); err != nil {
		t.Fatal(err)
	}
	if got, err := looking.Get(t.Context(), second.ID); err != nil || got.State != desk.Failed || got.Reply() != nil {
		t.Errorf("an entry in the archive: %s, %v", got.State, err)
	}

	third, attendance, err := asking.Submit(t.Context(), request("Real?"))
	if err != nil {
		t.Fatal(err)
	}
	attendance.Release()
	alice := desk.New(c.Open(natstest.Account, nodes.Human, "alice"), desk.Options{})
	if err := alice.SaveDraft(t.Context(), third.ID, says("a")); err != nil {
		t.Fatal(err)
	}
	if _, err := alice.Reply(t.Context(), third.ID, says("b"), "web"); err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"answered", "archived"} {
		got, err := looking.Get(t.Context(), third.ID)
		if err != nil || got.State != desk.Answered || got.Outcome.Answerer == nil || got.Outcome.Answerer.Name != "alice" {
			t.Errorf("%s: %+v, %v", step, got.Outcome, err)
		}
		if err := asking.Archive(t.Context(), third.ID); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(said.String(), "cleaning up") {
		t.Errorf("an agent that collects its answer is told of %s", said.String())
	}
	// One who is late finds the place taken though the outcome was collected.
	if _, err := looking.Reply(t.Context(), third.ID, says("a"), "tty"); !errors.As(err, new(*desk.ClosedError)) {
		t.Errorf("one who is late: %v", err)
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
	if _, err := human.Reply(t.Context(), rec.ID, says("a"), "web"); err != nil {
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

// The server may be made to write for one who may not: by an answer that goes to
// another's subject, or a consumer that delivers there. The first is as good as
// nothing, the second it refuses.
func TestForgedByTheServersHand(t *testing.T) {
	c := natstest.Start(t, 1)
	agent := desk.New(c.Open(natstest.Account, nodes.Agent, "bot"), desk.Options{})
	human := desk.New(c.Open(natstest.Account, nodes.Human, "alice"), desk.Options{})
	rec, attendance, err := agent.Submit(t.Context(), request("Which?"))
	if err != nil {
		t.Fatal(err)
	}
	defer attendance.Release()
	place := "ask.end." + rec.ID + ".human.alice"
	heard := make(chan error, 10)
	bot := c.Connect(natstest.Account, nodes.Agent, "bot", heard)
	if err := bot.PublishRequest("$JS.API.STREAM.MSG.GET.ASK", place, []byte(`{"last_by_subj":"ask.pending.`+rec.ID+`"}`)); err != nil {
		t.Fatal(err)
	}
	if err := bot.FlushTimeout(natstest.Patience); err != nil {
		t.Fatal(err)
	}
	bob := c.Connect(natstest.Account, nodes.Human, "bob", heard)
	answer, err := bob.Request("$JS.API.CONSUMER.CREATE.ASK.x", []byte(`{"stream_name":"ASK","config":{"name":"x","deliver_subject":"`+place+`","ack_policy":"none"}}`), natstest.Patience)
	if err != nil || !strings.Contains(string(answer.Data), "cycle") {
		t.Errorf("a consumer that delivers to another's subject: %v, %v", answer, err)
	}
	if got, err := human.Get(t.Context(), rec.ID); err != nil || got.State != desk.Pending {
		t.Errorf("it is %s, %v", got.State, err)
	}
	if _, err := human.Reply(t.Context(), rec.ID, says("b"), "web"); err != nil {
		t.Errorf("the human: %v", err)
	}
	if got, err := agent.Wait(t.Context(), rec.ID); err != nil || got.State != desk.Answered || got.Outcome.Answerer.Name != "alice" {
		t.Errorf("the agent gets %+v, %v", got.Outcome, err)
	}
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
		if _, err := human.Reply(t.Context(), rec.ID, says("a"), "web"); err != nil {
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
