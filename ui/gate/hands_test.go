package gate

import (
	"math/rand/v2"
	"testing"
	"time"

	"mcp-askuser/internal/termtest"
)

// TestTypings: the question appears while the user types to another program, holds a key down or pastes. None of
// these keys is an answer.
func TestTypings(t *testing.T) {
	rng := rand.New(rand.NewPCG(20261107, 1))
	for _, typing := range termtest.Typings(400) {
		first, last := typing[0].After, time.Duration(0)
		for _, blow := range typing {
			last += blow.After
		}
		for _, led := range []bool{false, true} {
			appears := first - Quiet + 1 + time.Duration(rng.Int64N(int64(last-first+Quiet)))
			r := newRig(Appeared, page{led: led})
			now := time.Duration(0)
			for _, blow := range typing {
				now += blow.After
				if now < appears {
					continue
				}
				r.wait(at(now - appears).Sub(r.Now()))
				for _, msg := range termtest.Messages(blow.Keys) {
					r.send(msg)
				}
			}
			r.wait(time.Hour)
			if len(r.taken) > 0 {
				t.Errorf("%q, the page is led: %v, and appears after %v: taken %q", termtest.Typed(typing), led, appears, r.taken)
			}
		}
	}
}

// TestHeldFromThen: Enter that is pressed when the question listens counts once. Its repeats take
// nothing more: not where the answer turns to another page, nor in the question
// that appears next. On another page one case cannot be told: exactly one
// repeat.
func TestHeldFromThen(t *testing.T) {
	for _, turns := range []bool{false, true} {
		for _, o := range []Origin{Appeared, Opened} {
			for _, hertz := range []time.Duration{12, 25, 40} {
				for _, delay := range []time.Duration{250 * ms, 500 * ms, 660 * ms} {
					for span := time.Duration(0); span < 3*second; span += 47 * ms {
						if period := second / hertz; turns && span >= delay && span < delay+period {
							continue
						}
						r := newRig(o, page{led: true})
						r.turns = turns
						r.wait(700 * ms)
						r.keys("enter")
						for held, pause := delay, delay; held <= span; held += pause {
							r.wait(pause)
							r.keys("enter")
							pause = second / hertz
						}
						if r.wait(time.Hour); len(r.taken) != 1 {
							t.Fatalf("%d Hz after %v for %v: taken %v", hertz, delay, span, r.taken)
						}
					}
				}
			}
		}
	}
}
