//go:build unix

package home_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
)

// failoverLimit is how long a fault of one node may keep an answer from its agent.
const failoverLimit = 10 * time.Second

// A node dies or stalls under an asker and a user. Within ten seconds the user reads
// what became of the answer, and the agent has it.
func TestFailover(t *testing.T) {
	if os.Getenv("RACE_ROUNDS") == "" {
		t.Skip("minutes; make fleet runs it")
	}
	c := natstest.Start(t, 3)
	failover(t, c, "killed", func(i int) (mend func()) { c.Kill(i); return func() { c.Restart(i) } })
	failover(t, c, "stopped", func(i int) (mend func()) { c.Stop(i); return func() { c.Continue(i) } })
}

// failover measures a fault, three times at the leader and three times at a follower,
// with an asker and a user who are both connected to that node.
func failover(t *testing.T, c *natstest.Cluster, name string, fault func(i int) (mend func())) {
	t.Helper()
	for _, leads := range []bool{true, false} {
		var told, served []time.Duration
		unsent, late := 0, lateness()
		for round := range 3 {
			node := c.Leader()
			if !leads {
				node = (node + 1) % len(c.Nodes)
			}
			hangs := make(chan struct{})
			far := looking{c.OpenAt(node, natstest.Account, nodes.Agent, "bot"), sync.OnceFunc(func() { close(hangs) })}
			asking := desk.New(join(t, newSpool(t, t.TempDir()), far), desk.Options{})
			user := desk.New(join(t, newSpool(t, t.TempDir()), c.OpenAt(node, natstest.Account, nodes.Human, "alice")), desk.Options{})
			rec := submit(t, asking, fmt.Sprintf("Which, %s %v %d?", name, leads, round)) // no answer to an earlier one
			if _, err := user.Get(t.Context(), rec.ID); err != nil {
				t.Fatal(err)
			}
			has := make(chan error, 1)
			go func() {
				ended, err := asking.Wait(t.Context(), rec.ID)
				if err == nil && ended.State != desk.Answered {
					err = errors.New(string(ended.State))
				}
				has <- err
			}()
			<-hangs
			began := time.Now()
			mend := fault(node)
			err := reply(t, user, rec.ID)
			told = append(told, time.Since(began))
			if errors.Is(err, desk.ErrUnsent) {
				unsent++
			} else if err != nil {
				t.Error(err)
			}
			select {
			case err := <-has:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(patience):
				t.Error("the agent waits in vain")
			}
			served = append(served, time.Since(began))
			mend()
		}
		what := map[bool]string{true: "the leader", false: "a follower"}[leads]
		t.Logf("%s %s: the user is told after %s (%d times that it is not sent yet), the agent has the answer after %s; this process ran up to %s late",
			what, name, rounded(told), unsent, rounded(served), late().Round(time.Millisecond))
		if worst := max(slices.Max(told), slices.Max(served)); worst > failoverLimit {
			t.Errorf("%s %s: it took %s", what, name, worst)
		}
	}
}

// lateness measures how long a process has to wait for a processor meanwhile: what a
// loaded machine adds to each step of a failover.
func lateness() (most func() time.Duration) {
	const interval = 10 * time.Millisecond
	end, worst := make(chan struct{}), make(chan time.Duration)
	go func() {
		var longest time.Duration
		for {
			due := time.Now().Add(interval)
			select {
			case <-time.After(interval):
				longest = max(longest, time.Since(due))
			case <-end:
				worst <- longest
				return
			}
		}
	}()
	return func() time.Duration { close(end); return <-worst }
}

// looking tells when one who waits has looked, and hears the bell from then on.
type looking struct {
	*nats.Store
	looked func()
}

func (s looking) Bell(ctx context.Context, id string, look func() bool) error {
	return s.Store.Bell(ctx, id, func() bool { defer s.looked(); return look() })
}

func rounded(all []time.Duration) (out []time.Duration) {
	for _, d := range all {
		out = append(out, d.Round(10*time.Millisecond))
	}
	return out
}
