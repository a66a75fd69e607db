package termtest

import (
	"math/rand/v2"
	"strings"
	"time"
)

// Blow is what is typed at once, a time after the blow before it.
type Blow struct {
	After time.Duration
	Keys  string
}

// sentences are what people type to an agent or a shell. Each word but the
// first has a key that means nothing to a list of options, so that a user who
// pauses before it is known to type to another program.
var sentences = []string{
	"make it a bit faster please\r",
	"git commit -m wip\r",
	"kill -9 22 now\r",
	"yes, but keep the old one as well\r",
	"no, two of them are enough\r",
	"npm run build && npm test\r",
	"sudo systemctl restart nginx\r",
	"just kidding, go back one step\r",
	"why did you delete that\r",
	"do not discuss it first, delete it\r",
	"2 more tests, then commit\r",
	"n\rok then, proceed\r",
	"git push\rlooks fine\r",
	"用中文回答 please\r",
}

// Typings are the keys of n people who type to another program, the same in
// every run: sentences at three paces with pauses of a second before some words,
// keys held down at the rates that keyboards have, and pastes.
func Typings(n int) [][]Blow {
	rng := rand.New(rand.NewPCG(20261122, 8))
	out := make([][]Blow, n)
	for i := range out {
		switch i % 4 {
		case 0, 1:
			out[i] = sentence(rng, sentences[rng.IntN(len(sentences))],
				[]time.Duration{80, 130, 200}[rng.IntN(3)]*time.Millisecond)
		case 2:
			out[i] = held(rng, []string{"\r", "x", " ", "\x1b[B", "\r"}[rng.IntN(5)])
		case 3:
			text := strings.ReplaceAll(sentences[rng.IntN(len(sentences))], "\r", "")
			out[i] = []Blow{{time.Duration(rng.IntN(900)) * time.Millisecond, "\x1b[200~" + text + "\x1b[201~"},
				{300 * time.Millisecond, "\r"}}
		}
	}
	return out
}

// LoneEnters are the keys of n people who reread what they have typed to another
// program before they send it: half of them still type a sentence that names no row;
// all press Enter one to three times, each after half a second to five seconds. They
// are the same in every run.
func LoneEnters(n int) [][]Blow {
	rng := rand.New(rand.NewPCG(20261122, 9))
	var texts []string
	for _, s := range sentences {
		if text, rest, _ := strings.Cut(s, "\r"); rest == "" && !strings.ContainsAny(text, "0123456789") {
			texts = append(texts, text)
		}
	}
	out := make([][]Blow, n)
	for i := range out {
		if i%2 == 0 {
			out[i] = sentence(rng, texts[i/2%len(texts)], 130*time.Millisecond)
		}
		for range 1 + i%3 {
			out[i] = append(out[i], Blow{500*time.Millisecond + time.Duration(rng.Int64N(int64(4500*time.Millisecond))), "\r"})
		}
	}
	return out
}

func sentence(rng *rand.Rand, text string, pace time.Duration) []Blow {
	var out []Blow
	var before rune
	for _, c := range text {
		after := pace*3/4 + time.Duration(rng.Int64N(int64(pace/2))) // as hands do
		if before == ' ' && rng.IntN(3) == 0 {
			after = time.Second
		}
		out = append(out, Blow{after, string(c)})
		before = c
	}
	return out
}

func held(rng *rand.Rand, key string) []Blow {
	out := []Blow{{0, key}}
	delay := []time.Duration{250, 500, 660}[rng.IntN(3)] * time.Millisecond
	period := time.Second / []time.Duration{12, 25, 40}[rng.IntN(3)]
	for after, span := delay, 1500*time.Millisecond; span > 0; after, span = period, span-period {
		out = append(out, Blow{after, key})
	}
	return out
}

// Typed is all that the blows type.
func Typed(blows []Blow) string {
	var b strings.Builder
	for _, blow := range blows {
		b.WriteString(blow.Keys)
	}
	return b.String()
}
