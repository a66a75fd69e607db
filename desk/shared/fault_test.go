//go:build unix

package shared_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-askuser/desk/shared"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// served is within what time a call is to end, and a process that waits is to learn of an
// outcome, in every fault: ten seconds, and half a second of this machine, in a long run of its
// own. A machine that is busy with other tests has longer.
func served() time.Duration {
	if os.Getenv("ROUNDS") == "" {
		return sharedtest.Patience
	}
	return 10*time.Second + 500*time.Millisecond
}

// answerAt answers a row, as its user does again where the desk does not take it.
func answerAt(t *testing.T, s *shared.Store, id string) error {
	for began := time.Now(); ; {
		err := s.Answer(t.Context(), id, store.Ending{Outcome: []byte("Yes")})
		if !errors.Is(err, store.ErrUnreachable) || os.Getenv("ROUNDS") != "" || time.Since(began) > served() {
			return err
		}
	}
}

// rounds is how many races a test runs: ROUNDS for a long run.
func rounds() int {
	n, _ := strconv.Atoi(os.Getenv("ROUNDS"))
	return cmp.Or(n, 6)
}

// faults are what may happen to one node of three.
func faults(c *sharedtest.Cluster) map[string][2]func(int) {
	return map[string][2]func(int){
		"killed":  {c.Kill, c.Restart},
		"stopped": {c.Stop, c.Continue},
		"cut off": {c.Cut, c.Mend},
	}
}

// Invariant: of sixteen callers that answer a row at once, one is first, its outcome is what
// all read, and all others receive ErrAnswered, whatever becomes of the leader.
func TestRaces(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 3)
	t.Run("without a fault", func(t *testing.T) { race(t, c, func() {}) })
	for name, fault := range faults(c) {
		t.Run("the leader is "+name, func(t *testing.T) {
			if os.Getenv("ROUNDS") == "" && name == "stopped" {
				t.Skip("ROUNDS runs it")
			}
			race(t, c, func() {
				leader := c.Leader()
				fault[0](leader)
				c.AwaitOther(leader)
				fault[1](leader)
			})
		})
	}
}

func race(t *testing.T, c *sharedtest.Cluster, fault func()) {
	const callers = 16
	stores := make([]*shared.Store, callers)
	for i := range stores {
		switch i % 4 {
		case 0:
			stores[i] = c.Open(nodes.Agent, "bot")
		case 1:
			stores[i] = c.Open(nodes.Human, "bob")
		default:
			stores[i] = c.Open(nodes.Human, "alice")
		}
	}
	var wins, losses atomic.Int64
	races, faultDone := rounds(), make(chan struct{})
	for n := range races {
		row := storetest.NewRow("Race?")
		persist(t, func() error { _, err := stores[0].Ask(t.Context(), row); return err })
		if n == races/3 {
			go func() { defer close(faultDone); fault() }()
		}
		errs := make([]error, callers)
		var all sync.WaitGroup
		for i, s := range stores {
			all.Go(func() {
				errs[i] = persist(t, func() error {
					return s.Answer(t.Context(), row.ID, store.Ending{Outcome: fmt.Append(nil, i)})
				})
			})
		}
		all.Wait()
		var got store.Row
		persist(t, func() (err error) { got, err = stores[1].Get(t.Context(), row.ID); return err })
		for i, err := range errs {
			switch {
			case err == nil:
				wins.Add(1)
				if string(got.Outcome) != fmt.Sprint(i) {
					t.Errorf("%d was first, and the outcome is %q", i, got.Outcome)
				}
			case errors.Is(err, store.ErrAnswered):
				losses.Add(1)
			default:
				t.Errorf("caller %d: %v", i, err)
			}
		}
	}
	<-faultDone
	if wins.Load() != int64(races) || losses.Load() != int64(races*(callers-1)) {
		t.Errorf("%d wins and %d losses in %d races", wins.Load(), losses.Load(), races)
	}
}

// persist repeats a call with the same bytes while the desk does not answer, as a form does
// when its user presses Enter again. No call may take longer than is served.
func persist(t *testing.T, call func() error) error {
	t.Helper()
	for {
		began := time.Now()
		err := call()
		if took := time.Since(began); took > served() {
			t.Errorf("a call took %s: %v", took.Round(time.Millisecond), err)
		}
		if !errors.Is(err, store.ErrUnreachable) {
			return err
		}
	}
}

// Invariant: whatever happens to one node of three, its leader or another, a process that
// waits and is connected to that node learns of an outcome in time, a process that begins
// then as well, and an inbox is woken.
func TestServed(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 3)
	for name, fault := range faults(c) {
		for _, of := range []string{"leader", "follower"} {
			t.Run(of+" "+name, func(t *testing.T) {
				if os.Getenv("ROUNDS") == "" && of+" "+name != "follower cut off" && of+" "+name != "leader killed" {
					t.Skip("ROUNDS runs it")
				}
				node := c.Leader()
				if of == "follower" {
					node = (node + 1) % 3
				}
				agent, inbox := c.OpenAt(node, nodes.Agent, "bot"), c.OpenAt(node, nodes.Human, "bob")
				human := c.OpenAt(node, nodes.Human, "alice")
				row := storetest.Ask(t, agent, "Here?")
				changes, err := inbox.Changes(t.Context(), "")
				fatal.If(t, err)
				woken := make(chan store.Row, 2)
				wait := func(s *shared.Store) {
					got, err := s.Wait(t.Context(), row.ID)
					if err != nil && t.Context().Err() == nil {
						t.Error(err)
					}
					woken <- got
				}
				go wait(agent)
				fault[0](node)
				began := time.Now()
				go wait(c.Open(nodes.Agent, "bot"))
				err = answerAt(t, human, row.ID)
				if err != nil || time.Since(began) > served() {
					t.Errorf("answered after %s: %v", time.Since(began), err)
				}
				for range 2 {
					select {
					case got := <-woken:
						if string(got.Outcome) != "Yes" {
							t.Errorf("waited for %q", got.Outcome)
						}
					case <-time.After(served() - time.Since(began)):
						t.Error("a process that waits was not woken in time")
					}
				}
				for seen := false; !seen; {
					select {
					case <-changes:
						got, err := inbox.Get(t.Context(), row.ID)
						seen = err == nil && got.Outcome != nil
					case <-time.After(served() - time.Since(began)):
						t.Error("an inbox was not woken in time")
						seen = true
					}
				}
				fresh := c.Open(nodes.Agent, "other")
				started := time.Now()
				got, err := fresh.Get(t.Context(), row.ID)
				if err != nil || string(got.Outcome) != "Yes" || time.Since(started) > served() {
					t.Errorf("a new process reads %q, %v after %s", got.Outcome, err, time.Since(started))
				}
				fault[1](node)
			})
		}
	}
}

// Invariant: a leader that is cut off, or is heard again before it knows of the other, does not say that there is
// no question, or no outcome, which the others have stored since.
func TestAbsenceAtACutOffLeader(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 3)
	leader := c.Leader()
	inside, outside := c.OpenAt(leader, nodes.Human, "alice"), c.OpenAt((leader+1)%3, nodes.Agent, "bot")
	row, since := storetest.Ask(t, outside, "Open?"), storetest.NewRow("Since?")
	c.Cut(leader)
	c.AwaitOther(leader)
	end := store.Ending{Outcome: []byte("Yes")}
	fatal.If(t, persist(t, func() error { return outside.Answer(t.Context(), row.ID, end) }))
	got, err := inside.Get(t.Context(), row.ID)
	if err != nil || string(got.Outcome) != "Yes" {
		t.Errorf("%q, %v", got.Outcome, err)
	}
	fatal.If(t, persist(t, func() error { _, err := outside.Ask(t.Context(), since); return err }))
	c.Mend(leader)
	over, cancel := context.WithTimeout(t.Context(), 2*time.Second) // a leader calls the others every second
	defer cancel()
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for over.Err() == nil {
				err := persist(t, func() error { _, err := outside.Get(t.Context(), since.ID); return err })
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	readers.Wait()
}

// Without a majority a call ends in time, with an error that says so.
func TestWithoutMajority(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 3)
	s := c.Open(nodes.Agent, "bot")
	row := storetest.Ask(t, s, "Before?")
	leader := c.Leader()
	c.Kill((leader + 1) % 3)
	c.Kill((leader + 2) % 3)
	sharedtest.Await(t, func() error { // until then the leader knows that no other node leads
		_, err := s.Get(t.Context(), "none")
		if errors.Is(err, store.ErrUnreachable) {
			return nil
		}
		return fmt.Errorf("a row that does not exist: %w", err)
	})
	var all sync.WaitGroup
	for name, call := range map[string]func() error{
		"ask":    func() error { _, err := s.Ask(t.Context(), storetest.NewRow("Now?")); return err },
		"get":    func() error { _, err := s.Get(t.Context(), "none"); return err },
		"answer": func() error { return s.Answer(t.Context(), row.ID, store.Ending{Outcome: []byte("x")}) },
	} {
		all.Go(func() {
			began := time.Now()
			err := call()
			if !errors.Is(err, store.ErrUnreachable) || time.Since(began) > served() {
				t.Errorf("%s: %v after %s", name, err, time.Since(began))
			}
		})
	}
	all.Wait()
}

// An acknowledgement that is lost is no lost write: each call that is repeated with the same
// bytes succeeds, and is stored once.
func lostAcknowledgement(t *testing.T, c *sharedtest.Cluster) {
	s := c.Open(nodes.Human, "alice")
	row := storetest.NewRow("Once?")
	for range 2 {
		_, err := s.Ask(t.Context(), row)
		fatal.If(t, err)
	}
	for range 2 {
		err := s.Answer(t.Context(), row.ID, store.Ending{Outcome: []byte("Yes")})
		if err != nil {
			t.Error(err)
		}
	}
	err := s.Answer(t.Context(), row.ID, store.Ending{Outcome: []byte("No")})
	if !errors.Is(err, store.ErrAnswered) {
		t.Errorf("another outcome: %v", err)
	}
	n := 0
	for _, err := range s.Rows(t.Context(), store.Query{}) {
		fatal.If(t, err)
		n++
	}
	if n != 1 {
		t.Errorf("%d rows", n)
	}

	// A watcher looks again once the node is gone.
	changes, err := s.Changes(t.Context(), "")
	fatal.If(t, err)
	<-changes // the guard has looked
	c.Kill(0)
	select {
	case <-changes:
	case <-time.After(10 * time.Second):
		t.Error("an inbox goes on as if the desk answered")
	}
	c.Restart(0)

	// The node dies under the calls, which end well once it runs again.
	for range 3 {
		row := storetest.NewRow("Through a restart?")
		_, err := s.Ask(t.Context(), row)
		fatal.If(t, err)
		done := make(chan error, 1)
		more := func(old []byte) ([]byte, error) { return append(old, "a"...), nil }
		go func() { done <- s.Note(t.Context(), row.ID, store.Draft, more) }()
		c.Kill(0)
		c.Restart(0)
		err = <-done
		got, failed := s.Get(t.Context(), row.ID)
		if err != nil || failed != nil || string(got.Notes[store.Draft]) != "a" {
			t.Errorf("%q, %v, %v", got.Notes[store.Draft], err, failed)
		}
	}
}

// A row whose stream is removed is lost to the process that waits. The revisions of another that replaces
// it are greater.
func lost(t *testing.T, c *sharedtest.Cluster) {
	s := c.Open(nodes.Agent, "bot")
	row := storetest.Ask(t, s, "Gone?")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := s.Wait(ctx, row.ID)
		done <- err
	}()
	changes, err := s.Changes(ctx, "")
	fatal.If(t, err)
	<-changes // the guard has looked: the wait has begun
	before, err := s.Revision(ctx)
	fatal.If(t, err)
	c.Remove()
	err = <-done
	if !errors.Is(err, store.ErrLost) || errors.Is(err, store.ErrUnreachable) { // a wait outlasts the latter
		t.Errorf("the wait ended with %v", err)
	}
	c.Create()
	now, err := s.Revision(ctx)
	if err != nil || now.Far <= before.Far {
		t.Errorf("the revision is %d, %v, after %d", now.Far, err, before.Far)
	}
}
