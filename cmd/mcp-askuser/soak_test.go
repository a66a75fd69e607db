//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// The size of a soak, and the program that it is of: that of make build instead
// of the test binary.
const (
	envQuestions = "SOAK_QUESTIONS"
	envServers   = "SOAK_SERVERS"
	envProgram   = "SOAK_PROGRAM"
)

// TestSoak has agents ask through servers that are killed at any moment, and
// users answer all at once. Every two agents ask the same. Invariants (promises 1 and 2):
//
//   - no answer is lost: each question ends with an answer at its agent, and an
//     answer of which a user was told that it is kept is the one;
//   - none is doubled: of each record one user was told so, each agent's question
//     is put before the users once, and each call has one response;
//   - none is forged: an agent gets nothing but what a user said to its own
//     record, and the store has nothing else.
func TestSoak(t *testing.T) {
	questions, servers := amount(t, envQuestions, 60), amount(t, envServers, 3)
	s := &soak{t: t, dir: t.TempDir(), kept: map[string][]string{}, got: map[demand]string{}, left: make(chan struct{})}
	var humans, watch, agents sync.WaitGroup
	for n := range 3 {
		watch.Add(1)
		humans.Go(func() { s.human(n, watch.Done) })
	}
	watch.Wait() // they are told of what is asked from now on
	for n := range servers {
		agents.Go(func() {
			for first := true; first || len(s.open(n, questions, servers)) > 0; first = false {
				if err := s.serve(n, questions, servers); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	agents.Wait()
	close(s.left)
	humans.Wait()
	s.check(questions)
	verdict := "none lost, doubled or forged"
	if t.Failed() {
		verdict = "see above"
	}
	t.Logf("%d questions through %d servers: %d answers arrived, %d servers killed: %s",
		questions, servers, len(s.got), s.serversKilled, verdict)
}

func amount(t *testing.T, name string, fallback int) int {
	t.Helper()
	if os.Getenv(name) == "" {
		return fallback
	}
	n, err := strconv.Atoi(os.Getenv(name))
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, not a number from 1", name, os.Getenv(name))
	}
	return n
}

// demand is what one agent asks.
type demand struct{ client, text string }

type soak struct {
	t    *testing.T
	dir  string
	left chan struct{} // closed when the agents have gone

	mu   sync.Mutex
	kept map[string][]string // by id: what a user was told is kept
	got  map[demand]string

	serversKilled int
}

func (s *soak) program(args ...string) *exec.Cmd {
	cmd := program(s.t, s.dir, args...)
	if path := os.Getenv(envProgram); path != "" {
		cmd.Path = path
	}
	return cmd
}

func agent(n int) string { return fmt.Sprintf("agent-%d", n) }

// texts are the questions of an agent; its neighbour asks the same.
func texts(n, questions, servers int) (out []string) {
	for i := n; i < questions; i += servers {
		out = append(out, fmt.Sprintf("Question %d of pair %d?", i/servers, n/2))
	}
	return out
}

// open are the questions of an agent that it has no answer to.
func (s *soak) open(n, questions, servers int) (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts(n, questions, servers) {
		if _, ok := s.got[demand{agent(n), text}]; !ok {
			out = append(out, text)
		}
	}
	return out
}

// serve runs one server of an agent until it is killed, or the agent has all
// answers. What the server had written by then is read.
func (s *soak) serve(n, questions, servers int) error {
	const atOnce = 4
	w := speakTo(s.t, s.program("serve", "--surface", "inbox", "--hold", "1h", "--max-rounds", "0"))
	killed := make(chan struct{})
	life := rand.N(300 * time.Millisecond) // some do not live to answer the first line
	axe := time.AfterFunc(life, func() { defer close(killed); w.kill() })
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(w.in, format+"\n", args...) } // it may be dead
	say(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":%q,"version":"1"}}}`, agent(n))
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)

	open := s.open(n, questions, servers)
	next := 0
	ask := func() {
		if next < len(open) {
			say(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user_question",`+
				`"arguments":{"question":%q}}}`, next, open[next])
			next++
		}
	}
	for range atOnce {
		ask()
	}
	answered := map[string]bool{}
	for m := range w.lines {
		switch id := string(m.ID); {
		case id == `"hello"`:
			if axe.Stop() {
				axe.Reset(life) // however long a busy machine took to start it
			}
		case m.Method == "":
			if answered[id] {
				return fmt.Errorf("call %s of %s was responded to twice", id, agent(n))
			}
			answered[id] = true
			i, err := strconv.Atoi(id)
			if err != nil || i >= next {
				return fmt.Errorf("a response to %s, which %s did not call", id, agent(n))
			}
			result := m.Result.StructuredContent
			if result.Status != string(desk.Answered) || m.Error != nil {
				return fmt.Errorf("%s asked %s and got %+v, %+v", agent(n), open[i], m.Result, m.Error)
			}
			s.mu.Lock()
			s.got[demand{agent(n), open[i]}] = result.Answers[open[i]]
			s.mu.Unlock()
			ask()
		}
		if len(answered) == len(open) && axe.Stop() {
			_ = w.in.Close()
			if err := w.wait(); err != nil {
				return fmt.Errorf("a server ended with %w: %s", err, w.stderr)
			}
			return nil
		}
	}
	if axe.Stop() {
		return fmt.Errorf("a server ended by itself: %s", w.stderr)
	}
	<-killed
	s.mu.Lock()
	s.serversKilled++
	s.mu.Unlock()
	return nil
}

// human answers all that is asked.
func (s *soak) human(n int, watches func()) {
	d := openDesk(s.t, s.dir)
	ctx, stop := context.WithCancel(s.t.Context())
	events, err := d.Watch(ctx)
	watches()
	if err != nil {
		s.t.Error(err)
		stop()
		return
	}
	defer func() {
		stop()
		for range events {
		}
	}()
	for {
		select {
		case ev, ok := <-events:
			if !ok {
				s.t.Error("a watch ended")
				return
			}
			if ev.Type == desk.Asked {
				s.answer(d, n, ev.Record.ID)
			}
		case <-s.left:
			return
		}
	}
}

func (s *soak) answer(d *desk.Desk, n int, id string) {
	text := fmt.Sprintf("human %d says %d", n, rand.Uint64())
	_, err := d.Reply(s.t.Context(), id,
		question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: text}}}, onPage)
	if err == nil {
		s.mu.Lock()
		s.kept[id] = append(s.kept[id], text)
		s.mu.Unlock()
	} else if !errors.As(err, new(*desk.ClosedError)) {
		s.t.Errorf("answering %s: %v", id, err)
	}
}

func (s *soak) check(questions int) {
	d := openDesk(s.t, s.dir)
	if open, err := d.Pending(s.t.Context()); err != nil || len(open) > 0 {
		s.t.Errorf("%d questions are open at the end, %v", len(open), err)
	}
	records := map[demand]int{}
	for rec, err := range d.History(s.t.Context(), desk.Query{}) {
		if err != nil {
			s.t.Fatal(err)
		}
		records[demand{rec.Asker.Client, rec.Questions[0].Text}]++
		reply := rec.Reply()
		if reply == nil || len(reply.Answers) != 1 {
			s.t.Errorf("%s ended %+v", rec.ID, rec.Outcome)
			continue
		}
		text := reply.Answers[0].Custom
		if kept := s.kept[rec.ID]; len(kept) != 1 || kept[0] != text {
			s.t.Errorf("%s has %q; users were told that it is %q", rec.ID, text, kept)
		}
		if got := s.got[demand{rec.Asker.Client, rec.Questions[0].Text}]; got != text {
			s.t.Errorf("%s of %s was answered %q; it got %+v", rec.ID, rec.Asker.Client, text, got)
		}
	}
	if len(s.got) != questions || len(records) != questions {
		s.t.Errorf("%d questions have %d answers and %d records", questions, len(s.got), len(records))
	}
	for what, n := range records {
		if n != 1 {
			s.t.Errorf("%s: %q was put before the human %d times", what.client, what.text, n)
		}
	}
	if questions >= 100 && s.serversKilled == 0 {
		s.t.Error("no server was killed: this proves nothing")
	}
}
