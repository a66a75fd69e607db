package gate

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/internal/termtest"
)

const (
	ms     = time.Millisecond
	second = time.Second
	seed   = 20261107
)

func random(n uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, n)) }

// at is the time that long after a test's beginning.
func at(d time.Duration) time.Time { return time.Unix(0, 0).UTC().Add(d) }

// rig is a page behind a gate, on a clock of its own: "1" and "2" mark a row, and Enter
// takes what is marked. The page that follows appears by itself.
type rig struct {
	*termtest.Clock
	gate   *Gate
	text   bool   // the page is a text field
	marked string // the row, or the text
	taken  []string
}

func newRig(o Origin) *rig {
	r := &rig{Clock: termtest.NewClock(at(0))}
	r.gate = NewGate(r.Now, r.After)
	r.gate.Show(o)
	return r
}

// Kind implements Page.
func (r *rig) Kind(msg tea.Msg) Kind {
	key, ok := msg.(tea.KeyPressMsg)
	switch {
	case ok && key.String() == "enter":
		return Submit
	case r.text, ok && (key.String() == "1" || key.String() == "2"):
		return Edit
	}
	return Stray
}

// Keep implements Page.
func (r *rig) Keep() func() {
	was := r.marked
	return func() { r.marked = was }
}

func (r *rig) send(msg tea.Msg) {
	msg, _ = r.gate.Update(msg, r)
	switch msg := msg.(type) {
	case tea.PasteMsg:
		r.marked += msg.Content
	case tea.KeyPressMsg:
		if msg.String() != "enter" {
			r.marked = msg.String()
			return
		}
		r.taken, r.marked = append(r.taken, r.marked), ""
		r.gate.Show(Appeared)
	}
}

// keys presses keys at once.
func (r *rig) keys(names ...string) {
	for _, k := range termtest.Keys(names...) {
		r.send(k)
	}
}

// wait lets time pass, and the timers fire.
func (r *rig) wait(d time.Duration) { r.Pass(d, r.send) }

// want fails unless this is marked, and these answers were taken.
func (r *rig) want(t *testing.T, marked string, taken ...string) {
	t.Helper()
	if r.marked != marked || !slices.Equal(r.taken, taken) {
		t.Fatalf("at %v: marked %q, taken %q; want %q, %q", r.Now(), r.marked, r.taken, marked, taken)
	}
}
