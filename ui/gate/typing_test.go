package gate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// sentences are what people type to an agent or a shell. None holds a key that
// opens a place to type text in.
var sentences = []string{
	"make it a bit faster please⏎",
	"git commit -m wip⏎",
	"kill -9 22⏎",
	"yes⏎", "no⏎", "y⏎", "n⏎", "12⏎", "22⏎", "1⏎", "⏎",
	"yes, but keep the old one as well⏎",
	"no, 2 of them are enough⏎",
	"npm run build && npm test⏎",
	"sudo systemctl restart nginx⏎",
	"just kidding, go back 1 step⏎",
	"why did you delete that⏎",
	"jk⏎",
	"k, thanks⏎",
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

// A sentence is being typed when the question appears, without a pause that
// lets it listen: nothing is taken, nothing is marked, in no kind of page.
func TestTypingOn(t *testing.T) {
	typings := 0
	for i, sentence := range sentences {
		for _, pace := range paces {
			for _, what := range []string{"list", "several", "boolean", "confirm", "takes", "text", "inbox"} {
				rng := random(uint64(i))
				keys := typed(0, sentence, jitter(rng, pace))
				appears := time.Duration(rng.Int64N(int64(keys[len(keys)-1].at + 600*ms)))
				appears -= 599 * ms // from just before the first key to the last
				var r rig
				r.show(appears, Appeared, page{what: what})
				r.play(keys...)
				r.none(t, sentence, pace, what, appears)
				if r.page != (page{what: what}) {
					t.Errorf("%q at %v: left %+v", sentence, pace, r.page)
				}
				typings++
			}
		}
	}
	if typings < 200 {
		t.Fatalf("only %d typings", typings)
	}
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
					var r rig
					r.show(appears, Appeared, page{what: what})
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

// A slash or a question mark leads from a list to a filter or the list of keys:
// commands typed to an agent take nothing either.
func TestSlashCommands(t *testing.T) {
	for _, sentence := range []string{"/clear⏎", "/compact⏎", "/model 2⏎", "?⏎", "? why⏎", "ls /tmp⏎", ":wq⏎", "a 0 b⏎"} {
		for _, pace := range paces {
			for _, what := range []string{"list", "several", "boolean", "confirm", "inbox"} {
				var r rig
				r.show(0, Appeared, page{what: what})
				r.play(typed(second, sentence, steady(pace))...)
				r.none(t, sentence, pace, what)
			}
		}
	}
}

// The same hands, meaning it: the question is there and quiet, then keys that
// mark and Enter. All of it counts, within 150 ms of the Enter.
func TestMeant(t *testing.T) {
	type answer struct{ what, first, keys, want string } // first where the form appeared by itself
	answers := []answer{
		{"list", "", "1⏎", "1"},
		{"list", "", "2⏎", "2"},
		{"list", "", "3⏎", "3"},
		{"list", "", "4⏎", "4"},
		{"list", "", "12⏎", "2"},
		{"list", "j", "⏎", "1"},
		{"list", "j", "jj⏎", "3"},
		{"list", "", "G⏎", "4"},
		{"list", "", "0by hand⏎", "by hand"},
		{"several", "", "13⏎", "13"},
		{"several", "", "  2⏎", "2"},
		{"boolean", "", "y⏎", "1"},
		{"boolean", "", "n⏎", "2"},
		{"confirm", "j", "⏎", "1"},
		{"confirm", "", "n⏎", "2"},
		{"text", "", "yes, do⏎", "yes, do"},
		{"inbox", "", "j⏎", "2"},
	}
	meant := 0
	for i := range 400 {
		rng := random(uint64(i))
		a := answers[i%len(answers)]
		pace := time.Duration(1+rng.Int64N(400)) * ms
		from := 600*ms + time.Duration(rng.Int64N(int64(3*second)))
		for _, o := range []Origin{Appeared, Opened} {
			first := a.first
			if o == Opened {
				from, first = time.Duration(rng.Int64N(int64(second))), ""
			}
			keys := typed(from, first+a.keys, steady(pace))
			var r rig
			r.show(0, o, page{what: a.what, led: o == Opened})
			r.play(keys...)
			enter := keys[len(keys)-1].at
			if len(r.taken) != 1 || r.taken[0].key != a.want || r.taken[0].at > enter+150*ms {
				t.Errorf("%v at %v from %v, enter at %v: taken %v", a, pace, from, enter, r.taken)
			}
			meant++
		}
	}
	if meant < 200 {
		t.Fatalf("only %d", meant)
	}
}

// No letter waits: only acts are held.
func TestTextIsNotDelayed(t *testing.T) {
	var r rig
	r.show(0, Appeared, page{what: "text"})
	r.wait(second)
	for i, k := range typed(second, "nothing is held back, not even a y", steady(30*ms)) {
		v := r.m.Key(at(k.at), k.key, r.page.kind(k.key))
		if v != Pass && (i > 0 || v != Begin) {
			t.Fatalf("key %d: verdict %d", i, v)
		}
	}
}

// What the rules cannot tell from an answer that was meant; see the package
// comment. It is here to say so, and so that a change
// that can tell is noticed.
func TestUndecided(t *testing.T) {
	tests := []struct {
		name, what string
		keys       []blow
		want       string
	}{
		{"the whole answer after a pause", "boolean", typed(700*ms, "y⏎", steady(130*ms)), "1"},
		{"a number after a pause", "list", typed(700*ms, "12⏎", steady(130*ms)), "2"},
		{"the end of a sentence after a pause", "list", typed(-2*second, "kill -9 22⏎", func(i int) time.Duration {
			if i == 8 {
				return 2500 * ms
			}
			return 130 * ms
		}), "2"},
		{"words where there is text to type", "text", typed(700*ms, "faster⏎", steady(130*ms)), "faster"},
		{"an arrow and enter after a pause", "confirm", []blow{{700 * ms, "down"}, {second, "enter"}}, "1"},
	}
	for _, tt := range tests {
		var r rig
		r.show(0, Appeared, page{what: tt.what})
		r.play(tt.keys...)
		if len(r.taken) == 0 || r.taken[0].key != tt.want {
			t.Errorf("%s: taken %v", tt.name, r.taken)
		}
	}
}

// Enter alone takes nothing, whatever comes before the question, and however it is
// pressed: there is nothing preselected.
func TestLoneEnter(t *testing.T) {
	for _, what := range []string{"list", "several", "boolean", "confirm", "takes", "text"} {
		for _, keys := range [][]blow{
			typed(-100*ms, "g⏎", steady(second)),
			typed(-100*ms, "g ⏎", steady(second)),
			typed(700*ms, "⏎⏎⏎", steady(3*second)),
			held("enter", -50*ms, 660*ms, 25, 660*ms),
			held("enter", -50*ms, 660*ms, 6, 2*second),
		} {
			if what == "text" && len(keys) == 3 && keys[1].key == "space" {
				continue
			}
			var r rig
			r.show(0, Appeared, page{what: what})
			r.play(keys...)
			r.none(t, what, keys)
		}
	}
}

// A letter that takes instead of marking has settled before the word goes on,
// unless the hand is fast. That is why letters should mark.
func TestLettersThatTake(t *testing.T) {
	for _, word := range []string{"yes⏎", "no⏎", "you are right⏎", "not yet⏎", "12 of them⏎"} {
		var fast rig
		fast.show(0, Appeared, page{what: "takes"})
		fast.play(typed(second, word, steady(80*ms))...)
		fast.none(t, word)
		var slow rig
		slow.show(0, Appeared, page{what: "takes"})
		slow.play(typed(second, word, steady(130*ms))...)
		if len(slow.taken) == 0 || slow.taken[0].key != word[:1] {
			t.Errorf("%s: taken %v", word, slow.taken)
		}
		for _, pace := range paces {
			var marks rig
			marks.show(0, Appeared, page{what: map[bool]string{true: "boolean", false: "list"}[strings.ContainsAny(word[:1], "yn")]})
			marks.play(typed(second, word, steady(pace))...)
			marks.none(t, word)
		}
	}
}
