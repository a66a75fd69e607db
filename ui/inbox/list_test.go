package inbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mcp-askuser/desk"
)

// TestNothingMoves: whatever comes and goes around it, the selected row stays
// the selected one, and stays on its line of the screen unless what is above it
// no longer fills the screen.
func TestNothingMoves(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		var l list
		lines := 2 + random.IntN(20)
		for i := range 1 + random.IntN(30) {
			l.insert(i, newRow(fmt.Sprint("first ", i)))
		}
		l.at = random.IntN(len(l.rows))
		for step := range 60 {
			l.visible(lines)
			before, line, top := l.selected(), l.at-l.top, l.top
			switch i := random.IntN(len(l.rows)); random.IntN(3) {
			case 0:
				l.insert(i, newRow(fmt.Sprint("more ", step)))
			case 1:
				l.insert(len(l.rows), newRow(fmt.Sprint("last ", step)))
			case 2:
				if i == l.at {
					continue
				}
				l.remove(l.rows[i].rec.ID)
			}
			rows, first := l.visible(lines)
			if l.selected() != before {
				t.Fatalf("seed %d, step %d: another row is selected", seed, step)
			}
			if !slices.Contains(rows, before) {
				t.Fatalf("seed %d, step %d: the selected row is not on the screen", seed, step)
			}
			if full := first+len(rows) < len(l.rows) && top > 0 && first > 0; full && l.at-l.top != line {
				t.Fatalf("seed %d, step %d: the selected row moved from line %d to %d", seed, step, line, l.at-l.top)
			}
		}
	}
}

func newRow(id string) *row { return &row{rec: desk.Record{ID: id}} }

func TestMove(t *testing.T) {
	tests := []struct {
		from int
		key  string
		to   int
	}{
		{0, "up", 0}, {0, "down", 1}, {3, "k", 2}, {3, "j", 4}, {19, "down", 19},
		{0, "pgdown", 4}, {17, "pgdown", 19}, {10, "pgup", 6}, {2, "pgup", 0},
		{7, "home", 0}, {7, "g", 0}, {7, "end", 19}, {7, "G", 19},
	}
	for _, tt := range tests {
		var l list
		for i := range 20 {
			l.insert(i, newRow(fmt.Sprint(i)))
		}
		l.at = tt.from
		l.visible(5 * rowHigh)
		if to, ok := l.target(tt.key); !ok || to != tt.to {
			t.Errorf("%s from %d leads to %d, want %d", tt.key, tt.from, to, tt.to)
		}
	}
	var none list
	for _, key := range []string{"down", "end", "pgdown"} {
		if to, _ := none.target(key); to != 0 || none.selected() != nil {
			t.Errorf("%s in an empty list leads to %d", key, to)
		}
	}
}
