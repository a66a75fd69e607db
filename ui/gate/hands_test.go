package gate

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// sentences are what people type to an agent or a shell.
var sentences = []string{
	"make it a bit faster please⏎",
	"git commit -m wip⏎",
	"kill -9 22⏎",
	"yes⏎", "no⏎", "y⏎", "n⏎", "12⏎", "22⏎", "1⏎", "⏎",
	"yes, but keep the old one as well⏎",
	"no, 2 of them are enough⏎",
	"just kidding, go back 1 step⏎",
	"y y y⏎",
	"2 1 2⏎",
	"git push⏎y⏎",
	"sounds good⏎now write the tests⏎",
}

var paces = []time.Duration{80 * ms, 130 * ms, 200 * ms}

// jitter is a pace that varies by a quarter either way, as hands do.
func jitter(rng *rand.Rand, d time.Duration) func(int) time.Duration {
	return func(int) time.Duration { return d*3/4 + time.Duration(rng.Int64N(int64(d/2))) }
}

// The hand pauses for a second, the question appears in that pause or before,
// and the rest of the sentence has a key that is stray to the page: nothing
// is taken, and what its first keys marked is unmarked.
func TestTypingOnAfterPauses(t *testing.T) {
	typings := 0
	for i, sentence := range sentences {
		for _, pace := range paces {
			for _, what := range []string{"list", "several", "boolean", "confirm", "inbox"} {
				for try := range 4 {
					rng := random(uint64(100*i + try))
					keys, pauses := paused(rng, sentence, what, pace)
					if pauses == nil {
						continue
					}
					pause := pauses[rng.IntN(len(pauses))]
					appears := pause - time.Duration(rng.Int64N(int64(2*second)))
					r := newRig(appears, Appeared, page{what: what})
					r.play(keys...)
					r.none(t, sentence, pace, what, pauses, appears)
					if len(pauses) == 1 && appears > -600*ms && r.page != (page{what: what}) {
						t.Errorf("%q at %v: left %+v", sentence, pace, r.page)
					}
					typings++
				}
			}
		}
	}
	if typings < 200 {
		t.Fatalf("only %d typings", typings)
	}
	t.Log(typings, "typings")
}

// paused returns a sentence with one or two pauses of a second, and when they
// end: each where a key that is stray to the page comes before the next Enter
// and the next pause. There are none where the sentence has no such place.
func paused(rng *rand.Rand, sentence, what string, pace time.Duration) (keys []blow, pauses []time.Duration) {
	text := []rune(sentence)
	p := page{what: what}
	var places []int
	for i := 1; i < len(text); i++ {
		rest := text[i:]
		end := slices.Index(rest, '⏎')
		stray := func(c rune) bool { return p.kind(name(c)) == Stray }
		if end > 0 && slices.ContainsFunc(rest[:end], stray) {
			places = append(places, i)
		}
	}
	if len(places) == 0 {
		return nil, nil
	}
	at := []int{places[rng.IntN(len(places))]}
	if other := places[rng.IntN(len(places))]; rng.IntN(2) == 0 && slices.ContainsFunc(text[min(at[0], other):max(at[0], other)], func(c rune) bool { return p.kind(name(c)) == Stray }) {
		at = append(at, other)
	}
	hand := jitter(rng, pace)
	keys = typed(0, sentence, func(i int) time.Duration {
		if slices.Contains(at, i) {
			return second
		}
		return hand(i)
	})
	for _, i := range at {
		pauses = append(pauses, keys[i].at)
	}
	return keys, pauses
}

// No letter waits: only acts are held.
func TestTextIsNotDelayed(t *testing.T) {
	r := newRig(0, Appeared, page{what: "text"})
	r.wait(second)
	const words = "nothing is held back, not even a y"
	for i, c := range words {
		r.keys(name(c))
		if r.text != words[:i+1] {
			t.Fatalf("key %d: the text is %q", i, r.text)
		}
		r.wait(30 * ms)
	}
}

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
