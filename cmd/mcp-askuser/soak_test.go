//go:build unix

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// TestSoak has agents ask through servers that are killed at any moment, and users answer all at
// once. Every two agents ask the same. Invariants (promises 1 and 2):
//
//   - no answer is lost: each question ends with an answer at its agent, and it is the one of
//     which a user was told that it is kept;
//   - none is doubled: of each record one user was told so, each agent's question is put before
//     the users once, and each call has one response;
//   - none is forged: an agent gets nothing but what a user said to its own record.
//
// SOAK_QUESTIONS and SOAK_SERVERS are its size; SOAK_PROGRAM is a program to soak in place of the
// test binary.
func TestSoak(t *testing.T) {
	t.Parallel()
	size := func(name, fallback string) int {
		n, err := strconv.Atoi(cmp.Or(os.Getenv(name), fallback))
		if err != nil || n < 1 {
			t.Fatalf("%s is %q, not a number from 1", name, os.Getenv(name))
		}
		return n
	}
	questions, servers := size("SOAK_QUESTIONS", "60"), size("SOAK_SERVERS", "3")
	s := &soak{t: t, dir: t.TempDir(), kept: map[string][]string{}, got: map[demand]string{}}
	ctx, stop := context.WithCancel(t.Context())
	var agents, users sync.WaitGroup
	for n := range 3 {
		d := desktest.Open(t, s.dir)
		events, err := d.Watch(ctx)
		fatal.If(t, err)
		users.Go(func() { s.user(n, d, events) })
	}
	for n := range servers {
		var open []string
		for i := n; i < questions; i += servers {
			open = append(open, fmt.Sprintf("Question %d of pair %d?", i/servers, n/2))
		}
		agents.Go(func() {
			longest := 300 * time.Millisecond
			for len(open) > 0 && !t.Failed() {
				left := s.serve(fmt.Sprintf("agent-%d", n), open, rand.N(longest))
				if len(left) == len(open) {
					longest += 300 * time.Millisecond // on a busy machine nothing is done in so short a life
				}
				open = left
			}
		})
	}
	agents.Wait()
	stop()
	users.Wait()
	s.check(questions)
	t.Logf("%d questions through %d servers: %d answers arrived, %d servers killed",
		questions, servers, len(s.got), s.killed)
}

// demand is what one agent asks.
type demand struct{ client, text string }

type soak struct {
	t   *testing.T
	dir string

	mu     sync.Mutex
	kept   map[string][]string // by id: what a user was told is kept
	got    map[demand]string
	killed int
}

// serve runs a server of an agent, which asks some of its questions, until the agent has the
// answers or the server is killed at the end of its life. It returns the questions that are open then.
func (s *soak) serve(agent string, open []string, life time.Duration) []string {
	cmd := program(s.t, s.dir, "serve", "--surface", "inbox", "--hold", "1h", "--max-rounds", "0")
	cmd.Path = cmp.Or(os.Getenv("SOAK_PROGRAM"), cmd.Path)
	w := speakTo(s.t, cmd)
	killed := make(chan struct{})
	axe := time.AfterFunc(life, func() { defer close(killed); w.kill() })
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(w.in, format+"\n", args...) } // it may be dead
	say(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":%q,"version":"1"}}}`, agent)
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	asked := open[:min(len(open), 8)]
	for i, text := range asked {
		say(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user_question",`+
			`"arguments":{"question":%q}}}`, i, text)
	}
	answered := map[string]bool{}
	for m := range w.lines {
		if string(m.ID) == `"hello"` && axe.Stop() {
			axe.Reset(life) // however long a busy machine took to start it
		}
		i, err := strconv.Atoi(string(m.ID))
		if err != nil {
			continue
		}
		result := m.Result.StructuredContent
		if i >= len(asked) || answered[asked[i]] || result.Status != string(desk.Answered) {
			s.t.Errorf("%s got %+v, %+v", agent, m, m.Error)
			break
		}
		answered[asked[i]] = true
		s.mu.Lock()
		s.got[demand{agent, asked[i]}], _ = result.Answers[asked[i]].(string)
		s.mu.Unlock()
		if len(answered) == len(asked) && axe.Stop() {
			_ = w.in.Close()
			err = w.wait()
			if err != nil {
				s.t.Errorf("a server ended with %v: %s", err, w.stderr)
			}
			return open[len(asked):]
		}
	}
	if axe.Stop() {
		s.t.Errorf("a server ended by itself: %s", w.stderr)
		return nil
	}
	<-killed
	s.mu.Lock()
	s.killed++
	s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(open), func(text string) bool { return answered[text] })
}

// user answers all that is asked.
func (s *soak) user(n int, d *desk.Desk, events <-chan desk.Event) {
	for ev := range events {
		if ev.Type != desk.Asked {
			continue
		}
		text := fmt.Sprintf("user %d says %d", n, rand.Uint64())
		reply := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: text}}}
		_, err := d.Reply(s.t.Context(), ev.Record.ID, reply, onPage)
		if err == nil {
			s.mu.Lock()
			s.kept[ev.Record.ID] = append(s.kept[ev.Record.ID], text)
			s.mu.Unlock()
		} else if !errors.As(err, new(*desk.ClosedError)) {
			s.t.Errorf("answering %s: %v", ev.Record.ID, err)
		}
	}
}

func (s *soak) check(questions int) {
	d := desktest.Open(s.t, s.dir)
	open, err := d.Pending(s.t.Context())
	if err != nil || len(open) > 0 {
		s.t.Errorf("%d questions are open at the end, %v", len(open), err)
	}
	records, err := store.Collect(d.History(s.t.Context(), desk.Query{}))
	if err != nil || len(records) != questions || len(s.got) != questions {
		s.t.Errorf("%d questions have %d answers and %d records, %v", questions, len(s.got), len(records), err)
	}
	for _, rec := range records {
		kept, got := s.kept[rec.ID], s.got[demand{rec.Asker.Client, rec.Questions[0].Text}]
		reply := rec.Reply()
		if reply == nil || len(kept) != 1 || reply.Answers[0].Custom != kept[0] || got != kept[0] {
			s.t.Errorf("%s of %s ended %+v; users were told that it is %q; it got %q",
				rec.ID, rec.Asker.Client, rec.Outcome, kept, got)
		}
	}
	if questions >= 100 && s.killed == 0 {
		s.t.Error("no server was killed: this proves nothing")
	}
}
