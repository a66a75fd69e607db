package inbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mcp-askuser/desk"
)

// TestNothingMoves: whatever comes and goes around it, the selected row stays
// the selected one, and stays on its line of the screen unless what is above or
// below it no longer fills the screen.
func TestNothingMoves(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		var l list
		lines := rowHigh + 1 + random.IntN(40)
		rows := make([]*row, 1+random.IntN(30))
		for i := range rows {
			rows[i] = newRow(fmt.Sprint("first ", i))
			rows[i].group = fmt.Sprint(i / 4)
		}
		l.show(rows)
		l.at = random.IntN(len(rows))
		for step := range 60 {
			l.layOut(lines)
			before, line := l.selected(), l.y()-l.top
			rows := slices.Clone(l.rows)
			switch i := random.IntN(len(rows)); random.IntN(3) {
			case 0:
				more := newRow(fmt.Sprint("more ", step))
				more.group = rows[i].group
				rows = slices.Insert(rows, i, more)
			case 1:
				rows = append(rows, newRow(fmt.Sprint("last ", step)))
			case 2:
				if rows[i] == before {
					continue
				}
				rows = slices.Delete(rows, i, i+1)
			}
			l.show(rows)
			l.layOut(lines)
			if l.selected() != before {
				t.Fatalf("seed %d, step %d: another row is selected", seed, step)
			}
			y := l.y() - l.top
			if y < 0 || y+rowHigh > lines {
				t.Fatalf("seed %d, step %d: the selected row is at line %d of %d", seed, step, y, lines)
			}
			headed := l.y() > 0 && l.lines[l.y()-1].part == heading
			if scrolled := 0 < l.top && l.top < len(l.lines)-lines; scrolled && y != line && (y > 0 && !headed) {
				t.Fatalf("seed %d, step %d: the selected row moved from line %d to %d", seed, step, line, y)
			}
		}
	}
}

// TestNextTakesItsPlace: when the selected row goes, the one below it is
// selected, and at the end the last.
func TestNextTakesItsPlace(t *testing.T) {
	var l list
	a, b, c, d := newRow("a"), newRow("b"), newRow("c"), newRow("d")
	l.show([]*row{a, b, c, d})
	l.at = 1
	for _, step := range []struct {
		rows []*row
		want *row
	}{{[]*row{a, c, d}, c}, {[]*row{d, a}, d}, {[]*row{a}, a}, {nil, nil}, {[]*row{b, c}, b}} {
		if l.show(step.rows); l.selected() != step.want {
			t.Fatalf("of %d rows %+v is selected, want %+v", len(step.rows), l.selected(), step.want)
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
		var rows []*row
		for i := range 20 {
			rows = append(rows, newRow(fmt.Sprint(i)))
		}
		l.show(rows)
		l.at = tt.from
		l.layOut(5 * rowHigh)
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
