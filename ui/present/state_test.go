package present

import (
	"strings"
	"testing"
)

// transitions has a row for each state and a column for each event: the next
// state and the effect, or - where the event is refused.
const transitions = `
          | idle           | showing        | sending            | settling       | contested      | ended
show      | showing run    | showing queue  | sending queue      | settling none  | -              | -
send      | -              | sending none   | -                  | -              | -              | -
sent      | ended withdraw | ended withdraw | ended announce     | ended withdraw | ended none     | -
unsent    | -              | -              | showing none       | -              | ended withdraw | -
returned  | -              | idle none      | idle none          | -              | ended none     | ended none
settle    | -              | settling none  | settling none      | -              | ended none     | ended none
stored    | ended withdraw | ended withdraw | contested announce | ended withdraw | -              | -
lost      | ended withdraw | ended withdraw | contested announce | ended withdraw | -              | -
`

func TestTransitions(t *testing.T) {
	states := []string{"idle", "showing", "sending", "settling", "contested", "ended"}
	events := []string{"show", "send", "sent", "unsent", "returned", "settle", "stored", "lost"}
	effects := []string{"refused", "none", "run", "queue", "announce", "withdraw"}
	rows := strings.Split(strings.TrimSpace(transitions), "\n")
	if len(rows) != 1+len(events) {
		t.Fatalf("%d rows, want %d", len(rows), 1+len(events))
	}
	for e, row := range rows[1:] {
		cells := strings.Split(row, "|")
		if len(cells) != 1+len(states) || strings.TrimSpace(cells[0]) != events[e] {
			t.Fatalf("the row of %s is %q", events[e], row)
		}
		for s, cell := range cells[1:] {
			next, do := state(s).next(event(e))
			got := states[next] + " " + effects[do]
			if do == refused {
				got = "-"
				if next != state(s) {
					t.Errorf("%s in %s is refused, but leads to %s", events[e], states[s], states[next])
				}
			}
			if want := strings.TrimSpace(cell); got != want {
				t.Errorf("%s in %s: %s, want %s", events[e], states[s], got, want)
			}
			if state(s).closed() && !next.closed() {
				t.Errorf("%s opens a record that has ended: %s", events[e], states[next])
			}
		}
	}
}
