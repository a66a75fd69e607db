//go:build unix

package nats_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/storetest"
	"mcp-askuser/internal/waittest"
)

// rounds is how many races are run: RACE_ROUNDS for a long run, as make fleet
// does.
func rounds() int {
	if n, err := strconv.Atoi(os.Getenv("RACE_ROUNDS")); err == nil {
		return n
	}
	return 40
}

// short reports whether this is no long run; what takes minutes is skipped then.
func short() bool { return os.Getenv("RACE_ROUNDS") == "" }

// Invariant: of sixteen who end a record, humans and askers, one is
// told that it was first, its outcome is what everybody reads, and all others
// are told that there is another. Nobody is left without an answer, whatever
// becomes of the node that leads.
func TestRaces(t *testing.T) {
	c := natstest.Start(t, 3)
	t.Run("without a fault", func(t *testing.T) { race(t, c, rounds(), 0, nil) })
	kills := 2
	if short() {
		kills = 1
	}
	t.Run("the leader is killed", func(t *testing.T) {
		race(t, c, rounds(), kills, func() {
			leader := c.Leader()
			c.Kill(leader)
			c.AwaitOther(leader)
			c.Restart(leader)
		})
	})
	if short() {
		return
	}
	t.Run("the leader is stopped", func(t *testing.T) {
		race(t, c, rounds(), 1, func() {
			leader := c.Leader()
			c.Stop(leader)
			c.AwaitOther(leader)
			c.Continue(leader)
		})
	})
}

// race runs races, several at once, and has faults happen in their midst.
func race(t *testing.T, c *natstest.Cluster, races, faults int, fault func()) {
	const callers, lanes = 16, 4
	stores := make([]*nats.Store, callers)
	roles := make([]desk.Role, callers)
	for i := range stores {
		kind, name := nodes.Human, "alice"
		switch i % 4 {
		case 1:
			name = "bob"
		case 2:
			kind, name = nodes.Agent, "bot"
		}
		stores[i], roles[i] = c.Open(natstest.Account, kind, name), desk.RoleHuman
		if kind == nodes.Agent {
			roles[i] = desk.RoleAsker
		}
	}
	var next, wins, losses, doubled atomic.Int64
	var worst atomic.Int64
	before := raceNumber.Load()
	var lanesDone, faultsDone sync.WaitGroup
	reached := make(chan int64, races)
	for range lanes {
		lanesDone.Go(func() {
			for {
				n := next.Add(1)
				if n > int64(races) {
					return
				}
				reached <- n
				id := storetest.Own(t, stores[2], storetest.ID(2026, 11, int(before+n))) // an agent's
				if err := stores[2].Create(t.Context(), desk.KindPending, id, []byte("{}")); err != nil {
					t.Error(err)
				}
				errs := make([]error, callers)
				var racing sync.WaitGroup
				start := make(chan struct{})
				for i, s := range stores {
					racing.Go(func() {
						<-start
						began := time.Now()
						errs[i] = s.Decide(t.Context(), id, roles[i], fmt.Appendf(nil, "%s by %d", id, i))
						for took := int64(time.Since(began)); ; {
							most := worst.Load()
							if took <= most || worst.CompareAndSwap(most, took) {
								return
							}
						}
					})
				}
				close(start)
				racing.Wait()
				data, err := stores[0].Get(t.Context(), desk.KindReplies, id)
				if err != nil {
					t.Errorf("the outcome of %s: %v", id, err)
					continue
				}
				var first int64
				for i, err := range errs {
					switch {
					case err == nil:
						first++
						if string(data) != fmt.Sprintf("%s by %d", id, i) {
							t.Errorf("%d was told that it was first, and there is %q", i, data)
						}
					case errors.Is(err, desk.ErrExists):
						losses.Add(1)
					default:
						t.Errorf("%s, caller %d does not know: %v", id, i, err)
					}
				}
				wins.Add(first)
				if first > 1 {
					doubled.Add(1)
				}
			}
		})
	}
	faultsDone.Go(func() {
		for n := range faults {
			for at := range reached {
				if at >= int64(races*(n+1)/(faults+2)) {
					break
				}
			}
			fault()
		}
	})
	lanesDone.Wait()
	close(reached)
	faultsDone.Wait()
	raceNumber.Add(int64(races))
	t.Logf("%d races of %d: %d wins, %d losses, %d doubled, worst %s", races, callers, wins.Load(), losses.Load(), doubled.Load(), time.Duration(worst.Load()).Round(time.Millisecond))
	if wins.Load() != int64(races) || losses.Load() != int64(races*(callers-1)) {
		t.Errorf("%d wins and %d losses in %d races", wins.Load(), losses.Load(), races)
	}
}

var raceNumber atomic.Int64 // of the last one, so that no two have the same id

// Every promise of a store holds while the leader comes and goes.
func TestStoreWhileTheLeaderFalls(t *testing.T) {
	if short() {
		t.Skip("minutes; make fleet runs it")
	}
	c := natstest.Start(t, 3)
	storetest.Run(t, func(t *testing.T) desk.Store {
		c.Empty(natstest.Account)
		ctx, cancel := context.WithCancel(t.Context())
		var falling sync.WaitGroup
		falling.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				leader := c.Leader()
				if i%2 == 0 {
					c.Kill(leader)
				} else {
					c.Stop(leader)
				}
				select {
				case <-time.After(3 * time.Second):
				case <-ctx.Done():
				}
				if i%2 == 0 {
					c.Restart(leader)
				} else {
					c.Continue(leader)
				}
				select {
				case <-time.After(6 * time.Second):
				case <-ctx.Done():
				}
			}
		})
		t.Cleanup(func() { cancel(); falling.Wait() })
		return c.Open(natstest.Account, nodes.Human, "alice")
	})
}

// TestWithoutMajority: a node that is left alone answers what it knows, and that JetStream
// is unavailable. The desk does not answer then: what was to be done is tried again later.
func TestWithoutMajority(t *testing.T) {
	c := natstest.Start(t, 3)
	s := c.Open(natstest.Account, nodes.Human, "alice")
	id := storetest.Own(t, s, storetest.ID(2026, 11, 1))
	leader := c.Leader()
	c.Kill(leader)
	c.Kill((leader + 1) % len(c.Nodes))
	for says, do := range map[string]func() error{
		"no node leads": func() error { return s.Ping(t.Context()) },
		"unavailable":   func() error { _, err := s.Get(t.Context(), desk.KindPending, id); return err },
	} {
		var err error
		if !waittest.Until(time.Minute, func() bool { err = do(); return err != nil && strings.Contains(err.Error(), says) }) || !errors.Is(err, desk.ErrUnreachable) {
			t.Errorf("it says %v", err)
		}
	}
}
