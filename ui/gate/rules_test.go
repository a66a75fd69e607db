package gate

import (
	"testing"
	"time"
)

// step is something that happens to a machine, and what it must say.
type step struct {
	at   time.Duration
	do   string // show, open, hide, see, tick, or a key
	kind Kind
	want Verdict
}

func TestRules(t *testing.T) {
	tests := []struct {
		name  string
		steps []step
	}{
		{"nothing is shown yet", []step{
			{0, "2", Edit, Ignore}, {700 * ms, "enter", Submit, Ignore}, {900 * ms, "tick", 0, Ignore},
		}},
		{"a digit and enter 60 ms later", []step{
			{0, "show", 0, 0},
			{600 * ms, "tick", 0, Ignore},
			{700 * ms, "2", Edit, Begin},
			{760 * ms, "enter", Submit, Hold},
			{879 * ms, "tick", 0, Ignore},
			{880 * ms, "tick", 0, Pass},
		}},
		{"every key starts the quiet anew", []step{
			{0, "show", 0, 0},
			{599 * ms, "2", Edit, Ignore},
			{600 * ms, "tick", 0, Ignore},
			{1198 * ms, "2", Edit, Ignore},
			{1798 * ms, "tick", 0, Ignore},
			{1798 * ms, "2", Edit, Begin},
		}},
		{"the next key does not end a silence", []step{
			{0, "show", 0, 0},
			{5 * second, "2", Edit, Ignore},
			{5600 * ms, "tick", 0, Ignore},
			{5600 * ms, "2", Edit, Begin},
			{6 * second, "enter", Submit, Hold},
			{9 * second, "2", Edit, Ignore},
			{9100 * ms, "tick", 0, Ignore},
		}},
		{"a late look is repeated, once", []step{
			{0, "show", 0, 0},
			{651 * ms, "tick", 0, Ignore},
			{652 * ms, "2", Edit, Ignore},
			{1252 * ms, "tick", 0, Ignore},
			{1300 * ms, "enter", Submit, Hold},
			{1471 * ms, "tick", 0, Ignore},
			{1590 * ms, "tick", 0, Ignore},
			{4 * second, "tick", 0, Begin},
		}},
		{"what the human opened listens at once", []step{
			{0, "open", 0, 0}, {ms, "2", Edit, Pass}, {2 * ms, "x", Stray, Ignore}, {3 * ms, "enter", Submit, Hold}, {123 * ms, "tick", 0, Pass},
		}},
		{"a repeat is no act", []step{
			{0, "open", 0, 0},
			{0, "enter", Submit, Hold},
			{120 * ms, "tick", 0, Pass},
			{150 * ms, "enter", Submit, Ignore},
			{300 * ms, "enter", Submit, Ignore},
			{451 * ms, "enter", Submit, Hold},
			{571 * ms, "tick", 0, Pass},
		}},
		{"the same key, with another between", []step{
			{0, "open", 0, 0}, {0, "enter", Edit, Pass}, {50 * ms, "j", Edit, Pass}, {100 * ms, "enter", Submit, Ignore},
		}},
		{"what follows an act goes with it", []step{
			{0, "open", 0, 0},
			{0, "enter", Submit, Hold},
			{100 * ms, "2", Edit, Ignore},
			{200 * ms, "enter", Submit, Ignore},
			{800 * ms, "tick", 0, Ignore},
			{801 * ms, "enter", Submit, Hold},
		}},
		{"a stray key takes back its run", []step{
			{0, "show", 0, 0},
			{600 * ms, "tick", 0, Ignore},
			{700 * ms, "2", Edit, Begin},
			{800 * ms, "j", Edit, Pass},
			{900 * ms, "x", Stray, Rollback},
			{1000 * ms, "2", Edit, Ignore},
			{1100 * ms, "x", Stray, Ignore},
			{1700 * ms, "tick", 0, Ignore},
			{1700 * ms, "2", Edit, Begin},
		}},
		{"and not the run before", []step{
			{0, "show", 0, 0},
			{600 * ms, "tick", 0, Ignore},
			{700 * ms, "2", Edit, Begin},
			{1300 * ms, "x", Stray, Ignore},
			{1400 * ms, "x", Stray, Ignore},
		}},
		{"a page that an act turned is turned back", []step{
			{0, "show", 0, 0},
			{600 * ms, "tick", 0, Ignore},
			{700 * ms, "enter", Submit, Hold},
			{820 * ms, "tick", 0, Begin},
			{900 * ms, "x", Stray, Rollback},
		}},
		{"a stray key drops the act and takes back the run", []step{
			{0, "show", 0, 0},
			{600 * ms, "tick", 0, Ignore},
			{700 * ms, "2", Edit, Begin},
			{760 * ms, "enter", Submit, Hold},
			{860 * ms, "x", Stray, Rollback},
			{880 * ms, "tick", 0, Ignore},
		}},
		{"nothing is taken back from before it was shown", []step{
			{0, "show", 0, 0},
			{600 * ms, "tick", 0, Ignore},
			{700 * ms, "2", Edit, Begin},
			{701 * ms, "show", 0, 0},
			{702 * ms, "x", Stray, Ignore},
		}},
		{"a paste is text or stray", []step{
			{0, "show", 0, 0},
			{ms, "paste", Edit, Ignore},
			{601 * ms, "tick", 0, Ignore},
			{700 * ms, "paste", Edit, Begin},
			{800 * ms, "paste", Stray, Rollback},
		}},
		{"leaving always works, and counts as a key", []step{
			{0, "ctrl+c", Leave, Pass},
			{0, "show", 0, 0},
			{500 * ms, "ctrl+c", Leave, Pass},
			{600 * ms, "tick", 0, Ignore},
			{700 * ms, "2", Edit, Ignore},
			{1300 * ms, "tick", 0, Ignore},
			{1300 * ms, "enter", Submit, Hold},
			{1400 * ms, "ctrl+c", Leave, Pass},
			{1420 * ms, "tick", 0, Ignore},
			{1500 * ms, "hide", 0, 0},
			{1600 * ms, "ctrl+c", Leave, Pass},
		}},
		{"what cannot be seen", []step{
			{0, "open", 0, 0},
			{0, "enter", Submit, Hold},
			{10 * ms, "hide", 0, 0},
			{120 * ms, "tick", 0, Ignore},
			{2 * second, "enter", Submit, Ignore},
			{3 * second, "tick", 0, Ignore},
			{4 * second, "see", 0, 0},
			{4100 * ms, "2", Edit, Ignore},
			{4700 * ms, "tick", 0, Ignore},
			{4701 * ms, "2", Edit, Pass},
			{4702 * ms, "see", 0, 0},
			{4703 * ms, "2", Edit, Pass},
		}},
		{"opened where it cannot be seen", []step{
			{0, "hide", 0, 0},
			{0, "open", 0, 0},
			{700 * ms, "tick", 0, Ignore},
			{700 * ms, "enter", Submit, Ignore},
			{800 * ms, "see", 0, 0},
			{900 * ms, "enter", Submit, Ignore},
			{1500 * ms, "tick", 0, Ignore},
			{1500 * ms, "enter", Submit, Hold},
		}},
		{"what moves needs no quiet, and puts none off", []step{
			{0, "move", Move, Ignore},
			{0, "show", 0, 0},
			{ms, "move", Move, Begin},
			{50 * ms, "move", Move, Pass},
			{500 * ms, "2", Edit, Ignore},
			{510 * ms, "move", Move, Pass},
			{1090 * ms, "move", Move, Pass},
			{1100 * ms, "tick", 0, Ignore},
			{1101 * ms, "enter", Submit, Hold},
			{1200 * ms, "move", Move, Ignore},
			{1221 * ms, "tick", 0, Ignore},
		}},
		{"what moved is taken back", []step{
			{0, "show", 0, 0}, {ms, "move", Move, Begin}, {100 * ms, "x", Stray, Rollback}, {700 * ms, "tick", 0, Ignore}, {700 * ms, "2", Edit, Begin},
		}},
		{"a letter that quits needs no quiet before it", []step{
			{0, "show", 0, 0}, {100 * ms, "q", Quit, Hold}, {399 * ms, "tick", 0, Ignore}, {400 * ms, "tick", 0, Begin},
		}},
		{"but may begin a word", []step{
			{0, "show", 0, 0}, {100 * ms, "q", Quit, Hold}, {350 * ms, "u", Stray, Ignore}, {400 * ms, "tick", 0, Ignore}, {949 * ms, "tick", 0, Ignore}, {949 * ms, "2", Edit, Ignore},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var m Machine
			for i, s := range tt.steps {
				if v := do(&m, s); v != s.want {
					t.Fatalf("step %d, %q at %v: %d, want %d", i, s.do, s.at, v, s.want)
				}
			}
		})
	}
}

func do(m *Machine, s step) (v Verdict) {
	switch s.do {
	case "show":
		m.Show(at(s.at), Appeared)
	case "open":
		m.Show(at(s.at), Opened)
	case "hide":
		m.Seen(at(s.at), false)
	case "see":
		m.Seen(at(s.at), true)
	case "tick":
		v = m.Tick(at(s.at))
	default:
		return m.Key(at(s.at), s.do, s.kind)
	}
	return v
}

// The user is told to pause only when one of their keys was discarded.
func TestWaiting(t *testing.T) {
	var m Machine
	is := func(want bool) {
		t.Helper()
		if m.Waiting() != want {
			t.Fatalf("waiting: %v", !want)
		}
	}
	is(false)
	m.Show(at(0), Appeared)
	is(false)
	m.Key(at(50*ms), "ctrl+c", Leave)
	is(false)
	m.Key(at(100*ms), "x", Edit)
	is(true)
	m.Seen(at(200*ms), false)
	is(false)
	m.Seen(at(300*ms), true)
	is(true)
	m.Tick(at(900 * ms))
	is(false)
	m.Seen(at(910*ms), false)
	m.Seen(at(920*ms), true)
	is(false)
	m.Tick(at(1520 * ms))
	m.Key(at(1600*ms), "x", Stray)
	is(true)
	m.Show(at(2*second), Appeared)
	is(false)
	m.Tick(at(2600 * ms))
	m.Key(at(3*second), "enter", Submit)
	is(false)
	m.Key(at(3050*ms), "enter", Submit)
	is(true)
}
