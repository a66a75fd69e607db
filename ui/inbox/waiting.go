package inbox

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// waiting is the list of what waits, grouped by who asks. A record that ended
// while it was selected stays, with its outcome, until the cursor leaves it.
type waiting struct {
	list                   // those that fit the filter
	all    map[string]*row // by the id of their records
	filter string          // in lower case
	loaded bool
}

// known is what the inbox knows of a record beside the record itself.
type known struct {
	draft    bool      // something typed for it is kept
	deadline time.Time // when its timeout strikes; zero for never
}

// put adds a record or updates it, and reports whether it is new. Arrange shows it.
func (w *waiting) put(rec desk.Record) bool {
	r := w.all[rec.ID]
	switch {
	case r == nil:
		w.all[rec.ID] = &row{rec: rec, wasAttended: rec.Attended}
	case r.rec.Outcome == nil:
		r.rec, r.wasAttended = rec, rec.Attended
	}
	return r == nil
}

// markEnded takes over the end of a record. Arrange removes it, unless it is selected.
func (w *waiting) markEnded(rec desk.Record) {
	if r := w.all[rec.ID]; r != nil {
		r.rec = rec
	}
}

func (w *waiting) remove(id string) {
	delete(w.all, id)
	w.arrange()
}

// update takes over the records that are pending. It returns those that are new, and
// those in the list that are no longer pending: their end was missed.
func (w *waiting) update(records []desk.Record) (fresh, gone []desk.Record) {
	w.loaded = true
	open := make(map[string]bool, len(records))
	for _, rec := range records {
		open[rec.ID] = true
		if w.put(rec) {
			fresh = append(fresh, rec)
		}
	}
	for id, r := range w.all {
		if r.rec.Outcome == nil && !open[id] {
			gone = append(gone, r.rec)
		}
	}
	w.arrange()
	return fresh, gone
}

// arrange shows the rows that fit the filter, and removes those that have ended, except
// the selected one.
func (w *waiting) arrange() { w.arrangeAround(w.selected()) }

// arrangeAround is arrange with another row that may stay, or none.
func (w *waiting) arrangeAround(stays *row) {
	var rows []*row
	maps.DeleteFunc(w.all, func(_ string, r *row) bool { return r.rec.Outcome != nil && (r != stays || !r.fits(w.filter)) })
	for _, id := range slices.Sorted(maps.Keys(w.all)) { // the oldest first
		r := w.all[id]
		if !r.fits(w.filter) {
			continue
		}
		rows = append(rows, r)
		r.group = words.Local.Asker(r.rec.Asker)
	}
	view.Arrange(rows, func(r *row) (group string, waits bool) { return r.group, r.wasAttended })
	w.show(rows)
}

// fits reports whether every word of the filter is in what the row is about.
func (r *row) fits(filter string) bool {
	return filter == "" || view.Local(r.rec).Fits(filter, words.Project(r.rec.Asker))
}

// selectRow is [list.selectRow]; a record that has ended goes when the cursor does.
func (w *waiting) selectRow(r *row) {
	w.list.selectRow(r)
	w.arrange()
}

func (w *waiting) openRecords() int { return len(w.all) - w.endedRows() }

// endedRows is 1 if the selected row has ended, else 0: no other row stays.
func (w *waiting) endedRows() int {
	if r := w.selected(); r != nil && r.rec.Outcome != nil {
		return 1
	}
	return 0
}

func (w *waiting) count() string {
	if !w.loaded {
		return ""
	}
	text := words.N(w.openRecords(), "%d waiting", "%d waiting")
	if w.filter != "" {
		text = words.T("%[1]d of %[2]d waiting", len(w.rows)-w.endedRows(), w.openRecords())
	}
	return text
}

// next is the time until an age or a time left in sight changes; 0 for never.
func (w *waiting) next(now time.Time) (next time.Duration) {
	for _, x := range w.shown {
		r := x.row
		if r.rec.Outcome != nil {
			continue
		}
		_, good := words.Local.Age(now.Sub(r.rec.CreatedAt))
		if _, until := words.Local.Left(r.deadline.Sub(now)); until > 0 { // none without a deadline
			good = min(good, until)
		}
		if next == 0 || good < next {
			next = good
		}
	}
	return next
}

func (w *waiting) draw(s *term.Styles, width, lines int, now time.Time) []string {
	text := ""
	switch {
	case !w.loaded:
		text = words.T("Looking for questions…")
	case len(w.all) == 0:
		text = words.T("Nothing waits for you. When an agent asks something, it shows up here.")
	case len(w.rows) == 0:
		text = words.T("Nothing that waits fits “%s”. Esc shows everything again.", question.Line(w.filter))
	}
	return w.list.draw(s, text, width, lines, now, drawWaiting)
}

// drawWaiting shows what is asked, for how long, and what there is to know. The
// mark in front says whether the asker waits for the answer: ● yes, ○ no, and ×
// that it has ended.
func drawWaiting(s *term.Styles, r *row, selected bool, width int, now time.Time) [rowHigh]string {
	lead, style := s.Row(selected)
	mark := "● "
	since, _ := words.Local.Age(now.Sub(r.rec.CreatedAt))
	switch {
	case r.rec.Outcome != nil:
		mark, since, style = "× ", "", s.Muted
	case !r.rec.Attended:
		mark = "○ "
	}
	widest, _ := words.Local.Age(59 * time.Minute)
	around := ansi.StringWidth("    " + " " + widest)
	text := term.Opening(term.Wrap(subject(r.rec), width-around), rowHigh, width-around)
	facts := strings.Join(r.facts(now), " · ")
	below := s.Muted.Render(term.Cut("    "+facts, width))
	if len(text) > 1 {
		facts = term.Cut(facts, width*2/3)
		below = style.Render(term.Justify("    "+text[1], "", width-1-ansi.StringWidth(facts))) + " " + s.Muted.Render(facts)
	}
	return [rowHigh]string{style.Render(term.Justify(lead+mark+text[0], since, width)), below}
}

// opening is the beginning of a text, all that a list looks at: in any script as
// many characters as a question may have by default.
func opening(text string) string { return text[:min(len(text), 2000)] }

// subject is what a record is about, as far as a list can show it.
func subject(rec desk.Record) string {
	rec.Questions = slices.Clone(rec.Questions)
	for i := range rec.Questions[:min(len(rec.Questions), 1)] {
		q := &rec.Questions[i]
		q.Header, q.Text = opening(q.Header), opening(q.Text)
	}
	return view.Local(rec).Subject()
}

// facts are what there is to know of a row, the most important first.
func (r *row) facts(now time.Time) (out []string) {
	if o := r.rec.Outcome; o != nil {
		return []string{words.Local.Outcome(o)}
	}
	if view.Closes(r.deadline, r.rec.Attended, now) {
		text, _ := words.Local.Left(r.deadline.Sub(now))
		out = append(out, text)
	}
	if r.draft {
		out = append(out, words.T("draft kept"))
	}
	if !r.rec.Attended {
		out = append(out, words.T(words.AgentNotWaiting))
	}
	for _, shown := range r.rec.ShownOn {
		if shown.Why == "" && shown.Surface != Name {
			out = append(out, words.T("also %s", words.Local.Surface(shown.Surface)))
		}
	}
	return out
}
