package gate

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/internal/termtest"
)

const (
	ms     = time.Millisecond
	second = time.Second
)

// at is the time that long after a test's beginning.
func at(d time.Duration) time.Time { return time.Unix(0, 0).UTC().Add(d) }

// page is a list of four rows, or a text. Comparing and copying it is enough to keep it.
type page struct {
	text   bool
	led    bool   // Enter takes the first row where none is marked: the user has moved the cursor there
	marked string // a row
	typed  string
}

// kind is what a key means to the page.
func (p *page) kind(key string) Kind {
	switch {
	case key == "ctrl+c":
		return Leave
	case key == "enter":
		return Submit
	case p.text, slices.Contains(strings.Fields("up down space 1 2 3 4 j k"), key):
		return Edit
	}
	return Stray
}

// press does what a key does that counts, and returns what it takes.
func (p *page) press(key string) (answer string) {
	switch {
	case key == "enter" && p.text:
		return p.typed
	case key == "enter" && p.led:
		return cmp.Or(p.marked, "1")
	case key == "enter": // nothing preselected
	case p.text:
		p.typed += key
	case slices.Contains(strings.Fields("1 2 3 4"), key):
		p.led, p.marked = true, key
	case key == "down":
		p.led = true
	}
	return ""
}

// rig is a program without a terminal: a page behind a gate, on a clock of its own.
type rig struct {
	page
	*termtest.Clock
	gate  *Gate
	taken []string // answers
	turns bool     // an answer turns to another page and does not send
}

// newRig shows a page that appears by itself, or that the user opened.
func newRig(o Origin, p page) *rig {
	r := &rig{page: p, Clock: termtest.NewClock(at(0))}
	r.gate = NewGate(r.Now, r.After)
	r.gate.Show(o)
	return r
}

// Kind implements Page.
func (r *rig) Kind(msg tea.Msg) Kind {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		return r.kind(key.String())
	}
	return r.kind("paste")
}

// Keep implements Page.
func (r *rig) Keep() func() {
	was := r.page
	return func() { r.page = was }
}

func (r *rig) send(msg tea.Msg) {
	msg, _ = r.gate.Update(msg, r)
	switch msg := msg.(type) {
	case tea.PasteMsg:
		r.typed += msg.Content
	case tea.KeyPressMsg:
		answer := r.press(msg.String())
		if answer == "" {
			return
		}
		r.taken = append(r.taken, answer)
		r.page = page{led: r.turns}
		if !r.turns {
			r.gate.Show(Appeared) // the next question
		}
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

// want fails unless this row is marked, and these answers taken.
func (r *rig) want(t *testing.T, marked string, taken ...string) {
	t.Helper()
	if r.marked != marked || !slices.Equal(r.taken, taken) {
		t.Fatalf("at %v: marked %q, taken %v; want %q, %v", r.Now(), r.marked, r.taken, marked, taken)
	}
}

// verdict is what a gate has done with a key, or with the one that it held.
type verdict int

const (
	ignore   verdict = iota // discarded it, or nothing
	pass                    // it counts
	begin                   // it counts, and the state before it was saved
	hold                    // it may count later
	rollback                // discarded it, and went back to what was saved
)

// machine is a gate at the times of a script.
type machine struct {
	*Gate
	at      time.Time
	kind    Kind // of the next key
	verdict verdict
}

func newMachine() *machine {
	m := &machine{}
	m.Gate = NewGate(func() time.Time { return m.at }, func(time.Duration, tea.Msg) tea.Cmd { return nil })
	return m
}

// Kind implements Page.
func (m *machine) Kind(tea.Msg) Kind { return m.kind }

// Keep implements Page.
func (m *machine) Keep() func() {
	m.verdict = begin
	return func() { m.verdict = rollback }
}

func (m *machine) show(now time.Time, o Origin)  { m.at = now; m.Show(o) }
func (m *machine) seen(now time.Time, seen bool) { m.at = now; m.Seen(seen) }
func (m *machine) tick(now time.Time) verdict    { return m.update(now, Tick{}) }

func (m *machine) key(now time.Time, key string, kind Kind) verdict {
	m.kind = kind
	v := m.update(now, tea.KeyPressMsg{Text: key})
	if v == ignore && m.phase == holding {
		return hold
	}
	return v
}

func (m *machine) update(now time.Time, msg tea.Msg) verdict {
	m.at, m.verdict = now, ignore
	msg, _ = m.Update(msg, m)
	if msg != nil && m.verdict == ignore {
		return pass
	}
	return m.verdict
}
