package gate

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
)

// kinds are the keys of scripts. A key of another kind is written with it: "enter/edit".
var kinds = map[string]Kind{
	"2": Edit, "j": Edit, "paste": Edit, "enter": Submit, "x": Stray, "u": Stray,
	"move": Move, "ctrl+c": Leave, "edit": Edit, "stray": Stray,
}

var verdicts = []string{ignore: "", pass: "pass", begin: "begin", hold: "hold", rollback: "rollback"}

// TestRules plays scripts of what happens to a gate, each with its time in milliseconds: it shows a
// page that appears or that the user opens, the page is hidden or seen, the clock is looked at, or a
// key arrives. The verdict of the gate follows, unless it is to ignore the key. "waits" means that
// the form asks the user to pause, "calm" that it does not.
func TestRules(t *testing.T) {
	for _, rule := range [][2]string{ // a name and its script
		{"nothing is shown yet", "0 2; 700 enter; 900 tick"},
		{"a digit and enter 60 ms later", "0 show; 600 tick; 700 2 begin; 760 enter hold; 879 tick; 880 tick pass"},
		{"every key starts the quiet anew", "0 show; 599 2; 600 tick; 1198 2; 1798 tick; 1798 2 begin"},
		{"the next key does not end a silence",
			"0 show; 5000 2; 5600 tick; 5600 2 begin; 6000 enter hold; 9000 2; 9100 tick"},
		{"a late look is repeated, once",
			"0 show; 651 tick; 652 2; 1252 tick; 1300 enter hold; 1471 tick; 1590 tick; 4000 tick begin"},
		{"what the user opened listens at once", "0 open; 1 2 pass; 2 x; 3 enter hold; 123 tick pass"},
		{"a repeat is no act",
			"0 open; 0 enter hold; 120 tick pass; 150 enter; 300 enter; 451 enter hold; 571 tick pass"},
		{"the same key, with another between", "0 open; 0 enter/edit pass; 50 j pass; 100 enter"},
		{"what follows an act goes with it", "0 open; 0 enter hold; 100 2; 200 enter; 800 tick; 801 enter hold"},
		{"a stray key takes back its run",
			"0 show; 600 tick; 700 2 begin; 800 j pass; 900 x rollback; 1000 2; 1100 x; 1700 tick; 1700 2 begin"},
		{"and not the run before", "0 show; 600 tick; 700 2 begin; 1300 x; 1400 x"},
		{"a page that an act turned is turned back",
			"0 show; 600 tick; 700 enter hold; 820 tick begin; 900 x rollback"},
		{"a stray key drops the act and takes back the run",
			"0 show; 600 tick; 700 2 begin; 760 enter hold; 860 x rollback; 880 tick"},
		{"nothing is taken back from before it was shown", "0 show; 600 tick; 700 2 begin; 701 show; 702 x"},
		{"a paste is text or stray", "0 show; 1 paste; 601 tick; 700 paste begin; 800 paste/stray rollback"},
		{"leaving always works, and counts as a key",
			"0 ctrl+c pass; 0 show; 500 ctrl+c pass; 600 tick; 700 2; 1300 tick; 1300 enter hold; 1400 ctrl+c pass; " +
				"1420 tick; 1500 hide; 1600 ctrl+c pass"},
		{"what cannot be seen",
			"0 open; 0 enter hold; 10 hide; 120 tick; 2000 enter; 3000 tick; 4000 see; 4100 2; 4700 tick; " +
				"4701 2 pass; 4702 see; 4703 2 pass"},
		{"opened where it cannot be seen",
			"0 hide; 0 open; 700 tick; 700 enter; 800 see; 900 enter; 1500 tick; 1500 enter hold"},
		{"what moves needs no quiet, and puts none off",
			"0 move; 0 show; 1 move begin; 50 move pass; 500 2; 510 move pass; 1090 move pass; 1100 tick; " +
				"1101 enter hold; 1200 move; 1221 tick"},
		{"what moved is taken back", "0 show; 1 move begin; 100 x rollback; 700 tick; 700 2 begin"},
		{"the user is told to pause when a key was discarded",
			"0 calm; 0 show; 0 calm; 50 ctrl+c pass; 50 calm; 100 2; 100 waits; 200 hide; 200 calm; 300 see; " +
				"300 waits; 900 tick; 900 calm; 910 hide; 920 see; 920 calm; 1520 tick; 1600 x; 1600 waits; 2000 show; " +
				"2000 calm; 2600 tick; 3000 enter hold; 3000 calm; 3050 enter; 3050 waits"},
	} {
		m := newMachine()
		for step := range strings.SplitSeq(rule[1], "; ") {
			words := append(strings.Fields(step), "")
			ms, err := strconv.Atoi(words[0])
			fatal.If(t, err)
			v := do(m, at(time.Duration(ms)*time.Millisecond), words[1])
			if v != verdict(slices.Index(verdicts, words[2])) {
				t.Errorf("%s: %s: %q", rule[0], step, verdicts[v])
				break
			}
			if what := words[1]; what == "waits" && !m.Waiting() || what == "calm" && m.Waiting() {
				t.Errorf("%s: %s: waiting is %v", rule[0], step, m.Waiting())
			}
		}
	}
}

func do(m *machine, now time.Time, what string) (v verdict) {
	switch what {
	case "show":
		m.show(now, Appeared)
	case "open":
		m.show(now, Opened)
	case "hide", "see":
		m.seen(now, what == "see")
	case "tick":
		return m.tick(now)
	case "waits", "calm":
	default:
		key, kind, other := strings.Cut(what, "/")
		if !other {
			kind = key
		}
		return m.key(now, key, kinds[kind])
	}
	return v
}
