package gate

import (
	"testing"
	"time"
)

// happened is one thing of a history: a key with its kind, or something shown,
// hidden or seen again.
type happened struct {
	at     time.Duration
	key    string
	kind   Kind
	deafen bool // something that deafens beside stray keys
}

// history is what a gate went through, for an oracle that knows the rules in
// another way: it looks back over what happened and not at any state.
type history struct {
	all    []happened
	origin Origin
	seen   bool
	shown  bool
}

// since returns what happened from the last thing on that deafens, and whether
// there is one.
func (h *history) since(before int) (from int, deaf bool) {
	for i := before - 1; i >= 0; i-- {
		e := h.all[i]
		if e.deafen || e.kind == Stray && e.key != "" && h.origin == Appeared {
			return i, true
		}
		if e.key == "" {
			return i, false
		}
	}
	return 0, false
}

// quiet reports whether a silence of Quiet lies between the last thing that
// deafens and key i. What moves is no noise.
func (h *history) quiet(i int) bool {
	last, deaf := h.since(i)
	if !deaf {
		return true
	}
	for j := last + 1; j <= i; j++ {
		if h.all[j].at-h.all[last].at >= Quiet {
			return true
		}
		if h.all[j].kind != Move {
			last = j
		}
	}
	return false
}

// settled fails unless the last thing that happened is an act that may count
// now.
func (h *history) settled(t *testing.T, now time.Duration) {
	t.Helper()
	last := len(h.all) - 1
	e := h.all[last]
	if e.kind != Submit || e.key == "" || now-e.at < Settle {
		t.Fatalf("at %v an act counts after %+v", now, e)
	}
	for _, before := range h.all[:last] {
		if before.key == e.key && e.at-before.at <= Again {
			t.Fatalf("at %v a repeat counts: %+v", now, h.all)
		}
	}
	if !h.seen || !h.shown || !h.quiet(last) {
		t.Fatalf("at %v an act counts, seen %v, shown %v: %+v", now, h.seen, h.shown, h.all)
	}
}

// FuzzKeys lets anything happen at any times, with looks at the clock at any
// times, late and early. No act counts without a silence of Settle after it, none
// that is a repeat, and no key at all in what is unseen or was not quiet. What a
// stray key takes back belongs to its own run.
func FuzzKeys(f *testing.F) {
	rng := random(1)
	for range 300 {
		script := make([]byte, 2*(10+rng.IntN(90)))
		for i := range script {
			script[i] = byte(rng.UintN(256))
		}
		f.Add(script)
	}
	waits := []time.Duration{0, 1, 25, 40, 83, 119, 120, 121, 150, 151, 300, 480, 599, 600, 601, 1000}
	keys := []string{"enter", "y", "2", "x"}
	f.Fuzz(func(t *testing.T, script []byte) {
		m := newMachine()
		h := history{seen: true}
		var now time.Duration
		marked := false // something of this run counted and was not taken back
		for i := 0; i+1 < min(len(script), 400); i += 2 {
			now += waits[script[i]%16] * ms
			if next := m.next(); script[i] >= 128 && !next.IsZero() && next.Before(at(now)) {
				if v := m.tick(next); v != ignore {
					h.settled(t, next.Sub(at(0)))
					marked = true
				}
			}
			switch b := script[i+1]; {
			case b >= 250:
				h.origin, h.shown = Origin(b%2), true
				m.show(at(now), h.origin)
				h.all = append(h.all, happened{at: now, deafen: h.origin == Appeared || !h.seen})
				marked = false
			case b >= 244:
				was := h.seen
				h.seen = b%2 == 0
				m.seen(at(now), h.seen)
				if h.seen != was {
					h.all = append(h.all, happened{at: now, deafen: true})
				}
			case b >= 200:
				if v := m.tick(at(now)); v != ignore {
					h.settled(t, now)
					marked = true
				}
			default:
				key, kind := keys[b%4], Kind(b/4%5)
				n := len(h.all)
				for j := n - 1; j >= -1; j-- { // the key before
					if j < 0 || h.all[j].key != "" {
						if j < 0 || now-h.all[j].at >= Quiet {
							marked = false
						}
						break
					}
				}
				h.all = append(h.all, happened{at: now, key: key, kind: kind})
				switch v := m.key(at(now), key, kind); v {
				case pass, begin:
					if kind != Leave && (!h.seen || !h.shown || kind != Move && (kind != Edit || !h.quiet(n))) {
						t.Fatalf("at %v %q of kind %d counts: %+v", now, key, kind, h.all)
					}
					if want := kind != Leave && h.origin == Appeared && !marked; (v == begin) != want {
						t.Fatalf("at %v begin: %v", now, !want)
					}
					marked = marked || kind != Leave
				case rollback:
					if kind != Stray || h.origin != Appeared || !marked {
						t.Fatalf("at %v taken back, marked %v, by %q of kind %d", now, marked, key, kind)
					}
					marked = false
				case hold:
					if kind != Submit || m.next().Sub(at(now)) != Settle {
						t.Fatalf("at %v held until %v", now, m.next())
					}
				case ignore:
					if kind == Leave || kind == Stray && h.origin == Appeared && marked && h.shown {
						t.Fatalf("at %v ignored %q of kind %d", now, key, kind)
					}
				}
			}
		}
	})
}
