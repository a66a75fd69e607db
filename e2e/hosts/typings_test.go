//go:build hosts && unix

package hosts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/waittest"
)

// TestTypings has a person type to the agent while a form of ours appears: as many
// sentences as TYPINGS says, others for each TYPINGS_SEED, in each host, in one session. None answers the
// question. Every fourth question is then answered on purpose, and that answer
// arrives.
func TestTypings(t *testing.T) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("TYPINGS"), "12"))
	if err != nil {
		t.Fatal(err)
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("TYPINGS_SEED"), "11"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []struct {
		name  string
		start func(*testing.T, *model) *host
		form  string // what the screen shows while a form is open
		keys  map[string][]string
	}{
		{"codex", codex, "enter to submit", map[string][]string{
			"yes": {"=yes", "Enter"}, "no": {"=no", "Enter"}, "choice": {"=2", "Enter"}, "several": {"=1,3", "Enter"}, "text": {"=Gadget", "Enter"}, "own": {"=DuckDB", "Enter"},
		}},
		{"claude", claude, "requests your input", map[string][]string{
			"yes": {"Right", "Down", "Enter", "Enter"}, "no": {"Right", "Enter", "Enter"}, "choice": {"Right", "Down", "Enter", "Enter"},
			"several": {"Right", "Space", "Down", "Down", "Space", "Enter", "Enter"}, "text": {"Right", "Enter", "Enter", "", "Gadget", "Enter", "Enter"},
			"own": {"Right", "Down", "Down", "Down", "Enter", "Enter", "", "DuckDB", "Enter", "Enter"},
		}},
	} {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			p := &person{t: t, host: h.start(t, newModel(t)), form: h.form, answers: h.keys, rng: rand.New(rand.NewPCG(20, seed)), keys: map[string]int{}, meant: map[string]int{}}
			p.ready()
			for i := range n {
				p.typing(i)
			}
			p.report(n)
		})
	}
}

// person types to an agent and answers its questions.
type person struct {
	t *testing.T
	*host
	form    string
	answers map[string][]string
	rng     *rand.Rand

	moved       int            // questions that went elsewhere, as their form brought no answer
	keys, meant map[string]int // of the answers that were meant, by kind
}

// pause is the time that a person takes, which real hosts measure.
func (p *person) pause(d time.Duration) { waittest.Pass(p.t.Context(), d) }

// ready begins a turn of the agent that never ends.
func (p *person) ready() {
	p.expect("askuser", "Ask Codex", "❯", "Type your message", "Ask anything")
	p.pause(2 * time.Second)
	for i := range 60 { // a host that is not ready takes Enter for a new line, or has no tools yet
		if i%5 == 0 {
			p.write("go")
		}
		if waittest.Until(time.Second, p.asked.Load) {
			return
		}
		p.press("Enter")
	}
	p.t.Fatalf("the agent does not begin:\n%s", p.screen())
}

// kinds are the questions, and what is meant to be answered to each.
var kinds = []struct {
	kind, tool, args string
	want             []string // option labels, or the text
}{
	{"yes", "confirm_action", `{"action":"%s Delete 23 unused files?","details":"rm -rf build dist"}`, []string{"Yes"}},
	{"choice", "ask_user_question", `{"question":"%s Which database?","header":"Database","options":["PostgreSQL","MongoDB","SQLite"]}`, []string{"MongoDB"}},
	{"no", "confirm_action", `{"action":"%s Push 2 commits?","details":"git push --force"}`, []string{"No"}},
	{"several", "ask_user_question", `{"question":"%s Which features?","header":"Features","multi_select":true,"options":["Caching","Logging","Metrics"]}`, []string{"Caching", "Metrics"}},
	{"text", "ask_user_question", `{"question":"%s What name?","header":"Name","type":"text"}`, []string{"Gadget"}},
	{"own", "ask_user_question", `{"question":"%s Which store?","header":"Store","options":["PostgreSQL","MongoDB","SQLite"]}`, []string{"DuckDB"}},
}

// result is what the agent is told. No label has a comma.
type result struct {
	Status  string
	Answers map[string]string
}

func (r *result) answers() (out []string) {
	for _, answer := range r.Answers {
		out = append(out, strings.Split(answer, ", ")...)
	}
	return out
}

func (p *person) result(within time.Duration) *result {
	select {
	case text := <-p.results:
		var r result
		i := strings.Index(text, "{")
		if err := json.Unmarshal([]byte(text[max(i, 0):]), &r); err != nil {
			p.t.Fatalf("%v: %s", err, text)
		}
		return &r
	case <-time.After(within):
		return nil
	}
}

// typing types one line or more while a question comes.
func (p *person) typing(i int) {
	kind := kinds[p.rng.IntN(len(kinds))]
	blows := blows(p.rng)
	total := time.Duration(0)
	for _, b := range blows {
		total += b.after
	}
	name := fmt.Sprintf("Q%d.", i+1)
	asked := make(chan bool, 1)
	appears := time.Duration(p.rng.Int64N(int64(total)*9/10 + 1))
	time.AfterFunc(appears, func() {
		select {
		case p.calls <- toolCall{kind.tool, json.RawMessage(fmt.Sprintf(kind.args, name))}:
			asked <- true
		case <-time.After(time.Minute):
			asked <- false
		}
	})
	typed := ""
	for _, b := range blows {
		p.pause(b.after)
		typed += b.keys
		if b.keys == "\r" {
			p.press("Enter")
		} else {
			p.host.write(b.keys)
		}
	}
	if !<-asked {
		p.t.Fatalf("typing %d: the agent does not ask its model any more:\n%s", i, p.screen())
	}
	var early *result
	if !waittest.Until(20*time.Second, func() bool {
		early = p.result(0)
		s := p.screen()
		return early != nil || strings.Contains(s, name) && strings.Contains(s, p.form)
	}) {
		p.t.Fatalf("typing %d: no form:\n%s", i, p.screen())
	}
	if early != nil {
		p.moved++
		p.t.Logf("typing %d, %q: the question went elsewhere: %s", i, typed, early.Status)
		if early.Status != "unavailable" {
			p.t.Errorf("typing %d, %q to %s: %s %q", i, typed, kind.kind, early.Status, early.answers())
		}
		return
	}
	p.pause(1600 * time.Millisecond) // an Esc within a second is the host's own
	if r := p.result(0); r != nil {
		p.t.Errorf("typing %d, %q to %s: %s %q", i, typed, kind.kind, r.Status, r.answers())
		return
	}
	if i%4 != 3 {
		p.press("Escape")
		if r := p.result(10 * time.Second); r == nil || r.Status != "dismissed" {
			p.t.Fatalf("typing %d, %q: Esc brought %+v:\n%s", i, typed, r, p.screen())
		}
		return
	}
	n := p.answer(p.answers[kind.kind])
	r := p.result(5 * time.Second)
	if r == nil { // a busy host took the last key for the end of something pasted
		p.press("Enter")
		n++
		r = p.result(10 * time.Second)
	}
	if r == nil || !slices.Equal(r.answers(), kind.want) {
		p.t.Fatalf("typing %d, %q: %q was meant, and came as %+v:\n%s", i, typed, kind.want, r, p.screen())
	}
	p.keys[kind.kind] += n
	p.meant[kind.kind]++
	p.t.Logf("typing %d, %q: %s answered with %d keys", i, typed, kind.kind, n)
}

// answer presses keys, or types texts, as a person does who looks at the form; an
// empty one waits for the next form. It returns how many keys it took.
func (p *person) answer(keys []string) (n int) {
	if strings.Contains(p.screen(), "❯ Accept") { // where the last line's Enter has led
		keys = append([]string{"Up"}, keys...)
	}
	if strings.HasPrefix(keys[0], "=") && strings.Contains(lastLine(p.screen(), "›"), "› ") && !strings.Contains(p.screen(), "› Type your answer") {
		p.press("C-u") // the beginning of a sentence
		n++
	}
	for _, k := range keys {
		p.pause(250 * time.Millisecond)
		switch {
		case k == "":
			p.pause(900 * time.Millisecond)
		case slices.Contains([]string{"Right", "Down", "Up", "Enter", "Space"}, k):
			p.press(k)
			n++
		default:
			for _, c := range k { // together they would be pasted
				p.host.write(string(c))
				p.pause(60 * time.Millisecond)
				n++
			}
		}
	}
	return n
}

func lastLine(screen, with string) (last string) {
	for line := range strings.Lines(screen) {
		if strings.Contains(line, with) {
			last = line
		}
	}
	return last
}

func (p *person) report(n int) {
	meant := 0
	for kind, times := range p.meant {
		meant += times
		p.t.Logf("%s: %d answers, %.1f keys each", kind, times, float64(p.keys[kind])/float64(times))
	}
	p.t.Logf("%d typings, %d answers that were meant, %d questions went elsewhere", n, meant, p.moved)
}

// blow is a key, a time after the one before it.
type blow struct {
	after time.Duration
	keys  string
}

var sentences = []string{
	"update the 2 docs", "yes, but keep the 3rd", "no", "yes", "y", "n", "2", "1", "1 more try", "use option 2", "the answer is yes", "say no", "run 4 tests", "n, not yet",
	"delete 23 files", "fix issue 1", "ok y", "and then 3", "it is no. 1", "2 of the 3 yes", "x = 2", "用第 2 个 please", "go on", "why 1 and not 2?",
}

// blows are one or two sentences, at a person's pace, with pauses of 0.3 to 3 s
// before some words and before Enter.
func blows(rng *rand.Rand) (out []blow) {
	pause := func() time.Duration {
		return 300*time.Millisecond + time.Duration(rng.Int64N(int64(2700*time.Millisecond)))
	}
	for range 1 + rng.IntN(2) {
		pace := []time.Duration{60, 100, 150}[rng.IntN(3)] * time.Millisecond
		before := rune(0)
		for _, c := range sentences[rng.IntN(len(sentences))] {
			after := pace*3/4 + time.Duration(rng.Int64N(int64(pace/2)))
			if before == ' ' && rng.IntN(4) == 0 {
				after = pause()
			}
			out = append(out, blow{after, string(c)})
			before = c
		}
		after := 100 * time.Millisecond
		if rng.IntN(2) == 0 {
			after = pause()
		}
		out = append(out, blow{after, "\r"})
	}
	return out
}
