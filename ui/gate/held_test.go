package gate

import (
	"testing"
	"time"
)

// eachHeld tries Enter held down at the rates of keyboards, pressed at a time: its press,
// and its repeats until span.
func eachHeld(pressed, span time.Duration, try func(keys []time.Duration, delay time.Duration)) {
	for _, hertz := range []time.Duration{12, 25, 40} {
		for _, delay := range []time.Duration{250 * ms, 500 * ms, 660 * ms} {
			keys := []time.Duration{pressed}
			for t := delay; t <= span; t += second / hertz {
				keys = append(keys, pressed+t)
			}
			try(keys, delay)
		}
	}
}

// play presses Enter at these times in what is shown from 0 on, and returns when it counts. An act may
// show what appears next.
func play(o Origin, shows bool, keys []time.Duration) (acts []time.Duration) {
	var m Machine
	m.Show(at(0), o)
	look := func(until time.Time) {
		for next := m.Next(); !next.IsZero() && !next.After(until); next = m.Next() {
			if m.Tick(next) == Ignore {
				continue
			}
			acts = append(acts, next.Sub(at(0)))
			if shows {
				m.Show(next, Appeared)
			}
		}
	}
	for _, key := range keys {
		if key >= 0 { // earlier ones go elsewhere
			look(at(key))
			m.Key(at(key), "enter", Submit)
		}
	}
	look(at(time.Hour))
	return acts
}

// An Enter that was already down when the question appeared takes nothing, however long it stays
// down. One case cannot be told: its first repeat comes after Quiet and no second does.
func TestHeldFromBefore(t *testing.T) {
	for pressed := -700 * ms; pressed < 0; pressed += 58 * ms {
		for span := time.Duration(0); span < 1200*ms; span += 89 * ms {
			eachHeld(pressed, span, func(keys []time.Duration, delay time.Duration) {
				last := len(keys) - 1
				if keys[last] >= Quiet && keys[last-1] <= 0 {
					if delay != 660*ms {
						t.Fatalf("cannot be told: %v", keys)
					}
					return
				}
				if acts := play(Appeared, true, keys); acts != nil {
					t.Errorf("%v: taken at %v", keys, acts)
				}
			})
		}
	}
}

// An Enter that is pressed when the question listens counts once. Its repeats take nothing more: not
// where the answer turns to another page, nor in the question that appears next. On another page one
// case cannot be told: exactly one repeat.
func TestHeldFromThen(t *testing.T) {
	for span := time.Duration(0); span < 3*second; span += 47 * ms {
		for _, origin := range []Origin{Appeared, Opened} {
			for _, shows := range []bool{false, true} {
				eachHeld(700*ms, span, func(keys []time.Duration, _ time.Duration) {
					if !shows && len(keys) == 2 {
						return
					}
					if acts := play(origin, shows, keys); len(acts) != 1 || acts[0] != 820*ms {
						t.Fatalf("%v: taken at %v", keys, acts)
					}
				})
			}
		}
	}
}
