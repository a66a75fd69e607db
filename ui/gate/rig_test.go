package gate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Enter is a key that acts.
const Enter = "enter"

const (
	ms     = time.Millisecond
	second = time.Second
	seed   = 20261107
)

func random(n uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, n)) }

// at is the time that long after a test's beginning.
func at(d time.Duration) time.Time { return time.Unix(0, 0).UTC().Add(d) }

// blow is a key at a time.
type blow struct {
	at  time.Duration
	key string
}

// typed returns the keys of a text, each as long after the one before as pace
// says; the first comes at from. "⏎" is Enter.
func typed(from time.Duration, text string, pace func(i int) time.Duration) []blow {
	var keys []blow
	for i, c := range []rune(text) {
		if i > 0 {
			from += pace(i)
		}
		keys = append(keys, blow{from, name(c)})
	}
	return keys
}

func name(c rune) string {
	switch c {
	case '⏎':
		return "enter"
	case ' ':
		return "space"
	}
	return string(c)
}

func steady(d time.Duration) func(int) time.Duration {
	return func(int) time.Duration { return d }
}

// held returns the keys of one held down: its press, and repeats.
func held(key string, from, delay time.Duration, hertz int, span time.Duration) []blow {
	keys := []blow{{from, key}}
	for t := delay; t <= span; t += second / time.Duration(hertz) {
		keys = append(keys, blow{from + t, key})
	}
	return keys
}

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

// rig puts keys through a machine to a page, on a clock of its own.
type rig struct {
	m     Machine
	since time.Duration // when the first page was shown: keys before went elsewhere
	page  page
	kept  page
	held  string // the act that settles
	taken []blow // answers, with their times
	turns bool   // an answer turns to another page and does not send
}

// show shows a page.
func (r *rig) show(d time.Duration, o Origin, p page) {
	r.m.Show(at(d), o)
	r.since, r.page = d, p
}

// play presses keys, looks at the clock whenever that is due, and at last until
// nothing is.
func (r *rig) play(keys ...blow) {
	for _, k := range keys {
		if k.at < r.since {
			continue
		}
		r.wait(k.at)
		r.apply(r.m.Key(at(k.at), k.key, r.page.kind(k.key)), k.key, k.at)
	}
	r.wait(1 << 60)
}

// wait looks at the clock until then whenever that is due.
func (r *rig) wait(until time.Duration) {
	for {
		next := r.m.Next()
		if next.IsZero() || next.After(at(until)) {
			return
		}
		r.apply(r.m.Tick(next), r.held, next.Sub(at(0)))
	}
}

func (r *rig) apply(v Verdict, key string, now time.Duration) {
	switch v {
	case Begin:
		r.kept = r.page
	case Rollback:
		r.page = r.kept
		return
	case Hold:
		r.held = key
		return
	case Ignore:
		return
	case Pass:
	}
	answer := r.page.press(key)
	if answer == "" {
		return
	}
	r.taken = append(r.taken, blow{now, answer})
	r.page = page{what: r.page.what, led: r.turns && r.page.led}
	if !r.turns {
		r.m.Show(at(now), Appeared) // the next question
	}
}

// none fails when an answer was taken.
func (r *rig) none(t *testing.T, about ...any) {
	t.Helper()
	if len(r.taken) > 0 {
		t.Errorf("%v: taken %v", about, r.taken)
	}
}
