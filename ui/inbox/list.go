package inbox

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/list"
	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// row is a record in a list, and what is known of it. It does not change: other news of its
// record are another row.
type row struct {
	rec   desk.Record
	asker string
	alike string // see desk.Record.Alike
	times int    // how many open records it stands for; 0 and 1 for itself alone
}

func newRow(rec desk.Record) *row {
	return &row{rec: rec, asker: words.Local.Asker(rec.Asker), alike: rec.Alike()}
}

// FilterValue implements list.Item. The filter of bubbles is off: it ranks what it finds, and
// where it finds nothing, Enter shows everything again.
func (r *row) FilterValue() string { return "" }

// records is a list of records of which one is selected, with the cursor and the pages of
// bubbles.
type records struct {
	list.Model
	rows   []*row
	query  string // the filter or the search; empty for none
	loaded bool
}

func newRecords(m *model) records {
	l := list.New(nil, delegate{m}, 0, 0)
	l.SetFilteringEnabled(false)
	l.SetShowTitle(false)
	l.SetShowStatusBar(false)
	l.SetShowPagination(false)
	l.SetShowHelp(false)
	return records{Model: l}
}

// selected returns nil in an empty list.
func (l *records) selected() *row {
	if l.Index() >= len(l.rows) {
		return nil
	}
	return l.rows[l.Index()]
}

// find returns the index of a record, or else of one that asks the same and stands for it; -1 if
// neither is in the list.
func (l *records) find(r *row) int {
	at := slices.IndexFunc(l.rows, func(x *row) bool { return x.rec.ID == r.rec.ID })
	if at < 0 && r.alike != "" {
		at = slices.IndexFunc(l.rows, func(x *row) bool { return x.alike == r.alike })
	}
	return at
}

// choose selects a record that may have gone meanwhile.
func (l *records) choose(r *row) {
	if r != nil {
		l.Select(max(l.find(r), 0))
	}
}

// show puts these rows in place of what is there. The cursor stays on its record. If that is
// not among them, the next that is gets the cursor.
func (l *records) show(rows []*row) {
	before, at := l.rows, l.Index()
	items := make([]list.Item, len(rows))
	for i, r := range rows {
		items[i] = r
	}
	l.rows = rows
	l.SetItems(items)

	to := max(min(at, len(rows)-1), 0)
	for _, r := range before[min(at, len(before)):] {
		i := l.find(r)
		if i >= 0 {
			to = i
			break
		}
	}
	l.Select(to)
}

// move moves the cursor by so many rows.
func (l *records) move(by int) { l.Select(max(min(l.Index()+by, len(l.rows)-1), 0)) }

// page says which page is shown, if there are several.
func (l *records) page() string {
	if l.Paginator.TotalPages < 2 {
		return ""
	}
	return fmt.Sprintf("%d/%d", l.Paginator.Page+1, l.Paginator.TotalPages)
}

// delegate draws a record in two lines: the question, and below it what is known of it.
// It implements list.ItemDelegate.
type delegate struct{ m *model }

// Height implements list.ItemDelegate.
func (delegate) Height() int { return 2 }

// Spacing implements list.ItemDelegate.
func (delegate) Spacing() int { return 0 }

// Update implements list.ItemDelegate.
func (delegate) Update(tea.Msg, *list.Model) tea.Cmd { return nil }

// Render implements list.ItemDelegate.
func (d delegate) Render(w io.Writer, l list.Model, index int, item list.Item) {
	r, _ := item.(*row)
	s, now := d.m.Styles, d.m.Now()
	mark, when, facts := r.waiting(now)
	if r.rec.Outcome != nil {
		mark, when, facts = r.past(now.Location())
	}
	facts = slices.DeleteFunc(facts, func(fact string) bool { return fact == "" })
	lead, style := s.Row(index == l.Index())
	subject, known := term.Line(view.Local(r.rec).Subject(), l.Width()), term.Line(strings.Join(facts, " · "), l.Width())
	fmt.Fprintln(w, style.Render(term.Justify(lead+mark+" "+subject, when, l.Width())))
	fmt.Fprint(w, s.Muted.Render(term.Cut("    "+known, l.Width())))
}

// waiting says of an open record whether its agent waits for the answer, how old it is, and
// what there is to know, the most urgent first.
func (r *row) waiting(now time.Time) (mark, when string, facts []string) {
	mark, when = "●", view.Local(r.rec).Age(now)
	asker := r.asker
	if r.times > 1 {
		asker = words.N(r.times-1, "%[2]s and %[1]d other", "%[2]s and %[1]d others", asker)
	}
	if view.Closes(r.rec.Deadline(), r.rec.Attended, now) {
		left, _ := words.Local.Left(r.rec.Deadline().Sub(now))
		facts = append(facts, left)
	}
	facts = append(facts, asker)
	if r.rec.Drafted {
		facts = append(facts, words.T("draft kept"))
	}
	if !r.rec.Attended {
		mark = "○"
		facts = append(facts, words.T(words.AgentNotWaiting))
	}
	for _, shown := range r.rec.ShownOn {
		if shown.Why == "" && shown.Surface != Name {
			facts = append(facts, words.T("also %s", words.Local.Surface(shown.Surface)))
		}
	}
	if r.times > 1 {
		mark += fmt.Sprintf(" ×%d", r.times)
	}
	return mark, when, facts
}

// past says of a record that has ended whether the user answered (✓), wants to discuss it
// (…), or neither (×); when it ended, and how.
func (r *row) past(zone *time.Location) (mark, when string, facts []string) {
	rec := view.Local(r.rec)
	mark = "×"
	switch {
	case rec.State == desk.Answered:
		mark = "✓"
		facts = append(facts, rec.Decision())
	case rec.State == desk.Discuss:
		mark = "…"
	}
	when = rec.Since().In(zone).Format(words.T("2 Jan 15:04"))
	return mark, when, append(facts, rec.Ended(), question.Line(rec.Reason()), r.asker)
}
