package gate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

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

// page is a page of a form as this project's forms have them: what it is, and
// what stands on it. Comparing and copying it is enough to keep it.
type page struct {
	what   string // list, several, boolean, confirm, text, inbox
	led    bool   // there is a cursor: the user has moved it, or opened the form
	cursor int
	picked int // bits of rows
	text   string
}

const rows = 4

// kind is what a key means to the page.
func (p *page) kind(key string) Kind {
	switch {
	case key == "ctrl+c":
		return Leave
	case key == "enter":
		return Submit
	case p.what == "text", key == "up", key == "down", key == "space":
		return Edit
	case p.what == "boolean", p.what == "confirm":
		return oneOf(key, "12ynjk")
	case p.what == "inbox":
		return oneOf(key, "jk")
	}
	return oneOf(key, "1234jk")
}

func oneOf(key, letters string) Kind {
	if utf8.RuneCountInString(key) == 1 && strings.Contains(letters, key) {
		return Edit
	}
	return Stray
}

// press does what a key does that counts, and returns what it takes.
func (p *page) press(key string) (answer string) {
	if p.what == "text" {
		if key == "enter" {
			return p.text
		}
		p.text += strings.ReplaceAll(key, "space", " ")
		return ""
	}
	row, led := strings.Index("1234", key), p.led || p.what == "inbox"
	if p.what == "boolean" || p.what == "confirm" {
		row = max(row, strings.Index("yn", key))
	}
	switch {
	case key == "enter" && (!led || p.what == "boolean" && p.picked == 0):
		return "" // nothing preselected, and no preset yes
	case key == "enter" && (p.what == "several" || p.picked != 0):
		return p.marked()
	case key == "enter":
		return string(rune('1' + p.cursor))
	case row >= 0:
		p.cursor, p.led = row, true
		p.mark()
	case key == "space" && led:
		p.mark()
	case !led && slices.Contains([]string{"up", "k", "down", "j"}, key):
		p.led = true
	case key == "up", key == "k":
		p.cursor = max(p.cursor-1, 0)
	case key == "down", key == "j":
		p.cursor = min(p.cursor+1, rows-1)
	}
	return ""
}

func (p *page) mark() {
	if p.what == "several" {
		p.picked ^= 1 << p.cursor
	} else {
		p.picked = 1 << p.cursor
	}
}

func (p *page) marked() string {
	var s strings.Builder
	for i := range rows {
		if p.picked&(1<<i) != 0 {
			s.WriteRune(rune('1' + i))
		}
	}
	return s.String()
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
		r.text += msg.Content
	case tea.KeyPressMsg:
		answer := r.press(msg.String())
		if answer == "" {
			return
		}
		r.taken = append(r.taken, answer)
		r.page = page{what: r.what, led: r.turns && r.led}
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

// want fails unless these rows are marked, and these answers taken.
func (r *rig) want(t *testing.T, picked int, taken ...string) {
	t.Helper()
	if r.picked != picked || !slices.Equal(r.taken, taken) {
		t.Fatalf("at %v: picked %b, taken %v; want %b, %v", r.Now(), r.picked, r.taken, picked, taken)
	}
}
