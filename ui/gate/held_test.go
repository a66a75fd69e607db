package gate

import (
	"testing"
	"time"
)

var (
	rates  = []int{12, 25, 40}
	delays = []time.Duration{250 * ms, 500 * ms, 660 * ms}
)

// A key that was already down when the question appeared takes nothing, however
// long it stays down, and the question that appears next neither. One case cannot
// be told, where a key opens a row: its first repeat comes after Quiet and no second does.
func TestHeldFromBefore(t *testing.T) {
	tried, untold := 0, 0
	for _, hertz := range rates {
		for _, delay := range delays {
			for _, key := range []string{"enter", "y", "space", "2"} {
				for _, what := range []string{"list", "several", "boolean", "confirm", "inbox"} {
					for pressed := -700 * ms; pressed < 0; pressed += 58 * ms {
						for span := time.Duration(0); span < 1200*ms; span += 89 * ms {
							keys := held(key, pressed, delay, hertz, span)
							last := len(keys) - 1
							if what == "inbox" && keys[last].at >= 600*ms && keys[last-1].at <= 0 {
								untold++
								if delay != 660*ms {
									t.Fatalf("cannot be told: %v at %d Hz", delay, hertz)
								}
								continue
							}
							r := newRig(0, Appeared, page{what: what})
							r.play(keys...)
							r.none(t, key, what, hertz, delay, pressed, span)
							tried++
						}
					}
				}
			}
		}
	}
	t.Logf("%d tried, %d cannot be told", tried, untold)
}

// Enter that is pressed when the question listens counts once. Its repeats take
// nothing more: not where the answer turns to another page, nor in the question
// that appears next. On another page one case cannot be told: exactly one
// repeat.
func TestHeldFromThen(t *testing.T) {
	for _, turns := range []bool{false, true} {
		for _, o := range []Origin{Appeared, Opened} {
			for _, hertz := range rates {
				for _, delay := range delays {
					for span := time.Duration(0); span < 3*second; span += 47 * ms {
						keys := held("enter", 700*ms, delay, hertz, span)
						if turns && len(keys) == 2 {
							continue
						}
						r := newRig(0, o, led("confirm"))
						r.turns = turns
						r.play(keys...)
						if len(r.taken) != 1 || r.taken[0].at != 820*ms {
							t.Fatalf("%d Hz after %v for %v: taken %v", hertz, delay, span, r.taken)
						}
					}
				}
			}
		}
	}
}

// A key bounced, or struck twice: the second stroke arrives sooner than a user
// can have seen what the first led to.
func TestStruckTwice(t *testing.T) {
	for _, gap := range []time.Duration{1 * ms, 60 * ms, 119 * ms, 121 * ms, 150 * ms} {
		r := newRig(0, Opened, led("confirm"))
		r.turns = true
		r.play(blow{second, "enter"}, blow{second + gap, "enter"})
		want := 0
		if gap > Settle {
			want = 1
		}
		if len(r.taken) != want {
			t.Errorf("%v apart: taken %v", gap, r.taken)
		}
	}
}
