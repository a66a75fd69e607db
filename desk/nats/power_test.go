//go:build unix

package nats_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/storetest"
	"mcp-askuser/internal/powertest"
)

// Invariant: as of TestPowerFailure in desk, on three real nodes: whether the power of
// one is cut, while the others go on, or that of all. The agents and the humans are on
// other machines, and learn only what they are told.
func TestPowerFailureOfNodes(t *testing.T) {
	cuts := powerCuts(t)
	var disks []*powertest.Disk
	var data []string
	for range 3 {
		disk := powertest.StartJournal(t)
		disks, data = append(disks, disk), append(data, disk.Dir)
	}
	c := natstest.StartOn(t, data)
	store := c.Open(natstest.Account, nodes.Agent, "bot")
	agent := desk.New(store, desk.Options{})
	human := desk.New(c.Open(natstest.Account, nodes.Human, "alice"), desk.Options{})
	var report storetest.PowerReport
	var all []storetest.Acknowledged
	for cut := range cuts {
		c.Leader() // and with it all others, as whole as they get
		failing := disks
		if cut%2 == 1 {
			one := rand.IntN(len(disks))
			failing = disks[one : one+1]
		}
		all = append(all, askWhile(t, agent, human, fmt.Sprint(cut), func() {
			cutPower(t, failing)
			for i, disk := range disks {
				if slices.Contains(failing, disk) {
					c.Kill(i)
					disk.Restore(rand.Int())
					c.Restart(i)
				}
			}
			awaitDesk(t, store)
			c.Leader()
		})...)
		report.Cuts++
		all = report.Check(t, &storetest.Conversation{Asker: agent, Human: human}, all)
		if t.Failed() {
			t.Fatalf("after cut %d: %s", cut, report)
		}
		all = all[max(0, len(all)-200):] // each of them takes a while
	}
	t.Log(report)
	if report.Answers == 0 {
		t.Error("no answer was acknowledged before a cut: this proves nothing")
	}
}

// awaitDesk waits until the desk answers again.
func awaitDesk(t *testing.T, s *nats.Store) {
	t.Helper()
	natstest.Await(t, func() error {
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		return s.Ping(ctx)
	})
}

// cutPower cuts the power of some nodes at a random step of the first.
func cutPower(t *testing.T, failing []*powertest.Disk) {
	t.Helper()
	failing[0].Arm(1 + rand.IntN(600))
	select {
	case <-failing[0].Failed():
	case <-time.After(natstest.Patience):
		t.Fatal("the nodes write nothing")
	}
	for _, disk := range failing[1:] {
		disk.Cut()
	}
}

// askWhile has questions asked and answered until a fault is over, and returns what
// was said by then.
func askWhile(t *testing.T, agent, human *desk.Desk, name string, fault func()) []storetest.Acknowledged {
	t.Helper()
	var mu sync.Mutex
	said := map[string]storetest.Acknowledged{}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	c := &storetest.Conversation{Asker: agent, Human: human, Says: func(a storetest.Acknowledged) {
		mu.Lock()
		defer mu.Unlock()
		said[a.ID] = a
	}}
	var asking sync.WaitGroup
	for n := range 4 {
		asking.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				_ = c.Run(ctx, fmt.Sprint(name, "-", n, "-", i), storetest.Progress(i%4)) // the fault ends it
			}
		})
	}
	fault()
	stop()
	asking.Wait()
	var all []storetest.Acknowledged
	for _, a := range said {
		all = append(all, a)
	}
	return all
}

// powerCuts is how often the power is cut: a tenth of POWER_CUTS, as nodes take
// seconds to come back.
func powerCuts(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("POWER_CUTS")); err == nil {
		return max(1, n/10)
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	return 1
}
