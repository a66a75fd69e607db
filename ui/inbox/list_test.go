package inbox

import (
	"testing"

	"mcp-askuser/desk"
)

// TestShow: the selected record stays selected, on whatever page it comes to be. When it goes, the
// one below it is selected, and at the end the last.
func TestShow(t *testing.T) {
	l := newRecords(nil)
	l.SetSize(80, 4) // two records a page
	of := func(id string) *row { return newRow(desk.Record{ID: id}) }
	a, b, c, d := of("a"), of("b"), of("c"), of("d")
	l.show([]*row{a, b, c, d})
	l.Select(1)
	for _, step := range []struct {
		rows []*row
		want *row
	}{{[]*row{a, c, d}, c}, {[]*row{b, a, d, c}, c}, {[]*row{d, a}, a}, {[]*row{a}, a}, {nil, nil}, {[]*row{b, c}, b}} {
		l.show(step.rows)
		if l.selected() != step.want {
			t.Fatalf("of %d rows %+v is selected, want %+v", len(step.rows), l.selected(), step.want)
		}
	}
}
