//go:build unix

package home_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/home"
	"mcp-askuser/desk/storetest"
	"mcp-askuser/internal/powertest"
)

// Invariant: an answer that the desk could not take, and that its user was told is
// kept, is in the outbox after every cut of the power, whole; where it was given anew,
// the last one that was kept, or one that was being given. It leaves the outbox once
// the desk has it.
func TestPowerFailureOfTheOutbox(t *testing.T) {
	cuts := powerCuts(t)
	disk := powertest.Start(t)
	answers, lost, torn := 0, 0, 0
	for cut := range cuts {
		dir := filepath.Join(disk.Dir, fmt.Sprint("home", cut/3), "mcp-askuser") // of every third nothing is there yet
		given := giveUnderPower(t, disk, dir, cut)
		disk.Restore(rand.Int())
		far := newShared(t)
		far.off()
		s := home.Join(newSpool(t, dir), far, nil)
		for id, g := range given {
			if g.kept >= 0 {
				answers++
			}
			got, queued := s.LocalOutcome(id)
			n, ok := -1, got == nil
			if got != nil {
				n, ok = g.find(string(got))
			}
			switch {
			case !ok:
				torn++
				t.Errorf("after cut %d, of %s there is %.60q", cut, id, got)
			case n < g.kept || n >= 0 && !queued:
				lost++
				t.Errorf("after cut %d, of %s there is answer %d, queued %v, and %d was kept", cut, id, n, queued, g.kept)
			}
		}
		s.Close()
	}
	t.Logf("%d cuts, %d acknowledged answers: %d lost, %d torn", cuts, answers, lost, torn)
	if answers == 0 {
		t.Error("no answer was kept before a cut: this proves nothing")
	}
}

// given is what was answered to one record: how often, and the last that was kept.
type given struct {
	id          string
	begun, kept int
}

func (g *given) outcome(n int) string {
	return fmt.Sprintf(`{"id":%q,"n":%d,"text":%q}`, g.id, n, strings.Repeat("x", 3000))
}

// find tells which of the answers a document is.
func (g *given) find(document string) (n int, ok bool) {
	for n := range g.begun + 1 {
		if document == g.outcome(n) {
			return n, true
		}
	}
	return -1, false
}

// giveUnderPower answers records of a desk that is out of reach, some of them again
// and again, until the power is cut.
func giveUnderPower(t *testing.T, disk *powertest.Disk, dir string, cut int) map[string]*given {
	t.Helper()
	far := newShared(t)
	far.off()
	disk.Arm(1 + rand.IntN(200))
	failed := disk.Failed()
	s := home.Join(newSpool(t, dir), far, nil)
	defer s.Close()
	all := map[string]*given{}
	var mu sync.Mutex
	var answering sync.WaitGroup
	for lane := range 3 {
		answering.Go(func() {
			for i := 0; ; i++ {
				g := &given{id: storetest.ID(2026, time.November, 1+cut*10000+lane*1000+i), begun: -1, kept: -1}
				mu.Lock()
				all[g.id] = g
				mu.Unlock()
				for range 1 + i%3 {
					g.begun++
					err := s.Decide(t.Context(), g.id, desk.RoleHuman, []byte(g.outcome(g.begun)))
					select {
					case <-failed:
						if errors.Is(err, desk.ErrUnsent) {
							g.kept = g.begun
						}
						return
					default:
					}
					if !errors.Is(err, desk.ErrUnsent) {
						return // the power is being cut
					}
					g.kept = g.begun
				}
			}
		})
	}
	select {
	case <-failed:
	case <-time.After(time.Minute):
		t.Fatal("no answer is kept")
	}
	answering.Wait()
	return all
}

// powerCuts is how often the power is cut: POWER_CUTS for a long run.
func powerCuts(t *testing.T) int {
	if n, err := strconv.Atoi(os.Getenv("POWER_CUTS")); err == nil {
		return n
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	return 25
}
