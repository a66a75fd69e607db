//go:build unix

package nats_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
)

// TestFigures measures, on three nodes, what is promised of a shared desk. It
// fails for no figure.
func TestFigures(t *testing.T) {
	if short() {
		t.Skip("minutes; make fleet runs it")
	}
	c := natstest.Start(t, 3)
	agent := c.Open(natstest.Account, nodes.Agent, "bot")
	asking := desk.New(agent, desk.Options{})
	human := desk.New(c.Open(natstest.Account, nodes.Human, "alice"), desk.Options{})
	other := desk.New(c.Open(natstest.Account, nodes.Human, "bob"), desk.Options{})
	events, err := other.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan time.Time, 10)
	go func() {
		for ev := range events {
			if ev.Type == desk.Ended {
				ended <- time.Now()
			}
		}
	}()
	var asked, replied, woken, withdrawn []time.Duration
	for n := range 300 {
		began := time.Now()
		rec, attendance, err := asking.Submit(t.Context(), request(fmt.Sprint(n)))
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, time.Since(began))
		has, hangs := make(chan time.Time, 1), make(chan struct{})
		waiting := desk.New(looking{agent, sync.OnceFunc(func() { close(hangs) })}, desk.Options{})
		go func() {
			if _, err := waiting.Wait(t.Context(), rec.ID); err != nil {
				t.Error(err)
			}
			has <- time.Now()
		}()
		<-hangs
		began = time.Now()
		if _, err := human.Reply(t.Context(), rec.ID, says("a"), desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
		committed := time.Now()
		replied = append(replied, committed.Sub(began))
		woken = append(woken, (<-has).Sub(committed))
		withdrawn = append(withdrawn, (<-ended).Sub(committed))
		attendance.Release()
		if err := asking.Archive(t.Context(), rec.ID); err != nil {
			t.Fatal(err)
		}
	}
	report := func(what string, took []time.Duration) {
		slices.Sort(took)
		t.Logf("%s: p50 %s, p99 %s", what, took[len(took)/2].Round(10*time.Microsecond), took[len(took)*99/100].Round(10*time.Microsecond))
	}
	report("to ask, with all that is looked for before", asked)
	report("to reply", replied)
	report("from the committed reply to the agent that waits", woken)
	report("from the committed reply to another's inbox", withdrawn)

	waitingClients(t, c, 1000)

	const open = 10_000
	began := time.Now()
	var asks sync.WaitGroup
	stores := make([]*nats.Store, 8)
	for i := range stores {
		stores[i] = c.Open(natstest.Account, nodes.Agent, "bot")
		asks.Go(func() {
			d := desk.New(stores[i], desk.Options{})
			var workers sync.WaitGroup
			for w := range 8 {
				workers.Go(func() {
					for n := range open / 64 {
						r := request(fmt.Sprintf("%d %d %d", i, w, n))
						r.Session = ""
						if _, _, err := d.Submit(t.Context(), r); err != nil {
							t.Error(err)
						}
					}
				})
			}
			workers.Wait()
		})
	}
	asks.Wait()
	t.Logf("%d asked and attended in %s", open/64*64, time.Since(began).Round(time.Millisecond))
	s := c.Open(natstest.Account, nodes.Human, "alice")
	for _, what := range []struct {
		name string
		do   func() (int, error)
	}{
		{"listing the ids", func() (n int, err error) {
			for _, err = range s.List(t.Context(), desk.KindPending, desk.Range{}) {
				n++
			}
			return n, err
		}},
		{"all records, as an inbox opens", func() (int, error) {
			all, err := desk.New(s, desk.Options{}).Pending(t.Context())
			return len(all), err
		}},
	} {
		began := time.Now()
		n, err := what.do()
		t.Logf("%s, of %d open: %s, %v", what.name, n, time.Since(began).Round(time.Millisecond), err)
	}
}

// looking tells when one who waits has looked, and hears the bell from then on.
type looking struct {
	*nats.Store
	looked func()
}

func (s looking) Bell(ctx context.Context, id string, look func() bool) error {
	return s.Store.Bell(ctx, id, func() bool { defer s.looked(); return look() })
}

// waitingClients measures what one of n takes that has asked and waits: as a
// process, with a connection of its own, and as one more call of a process.
func waitingClients(t *testing.T, c *natstest.Cluster, n int) {
	for _, alone := range []bool{true, false} {
		ctx, stop := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		s := c.Open(natstest.Account, nodes.Agent, "bot")
		if _, err := s.Identity(ctx); err != nil {
			t.Fatal(err)
		}
		before := heap()
		for i := range n { // one by one: what many leave behind at once is not theirs
			if alone {
				s = c.Open(natstest.Account, nodes.Agent, "bot")
			}
			hangs := make(chan struct{})
			d := desk.New(looking{s, sync.OnceFunc(func() { close(hangs) })}, desk.Options{})
			r := request(fmt.Sprint(alone, i))
			r.Session = ""
			rec, attendance, err := d.Submit(ctx, r)
			if err != nil {
				t.Fatal(err)
			}
			waiting.Go(func() {
				defer attendance.Release()
				_, _ = d.Wait(ctx, rec.ID)
			})
			<-hangs
		}
		what := map[bool]string{true: "a process of its own", false: "a call of a process"}[alone]
		t.Logf("one that has asked and waits, %s: %d KiB", what, (heap()-before)/uint64(n)/1024)
		stop()
		waiting.Wait()
	}
}

func heap() uint64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
