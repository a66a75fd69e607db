package inbox

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// waiting is the list of what waits, oldest first. A record that ended while
// it was selected stays, with its outcome, until the cursor leaves it.
type waiting struct {
	list
	loaded bool
}

// known is what the inbox knows of a record beside the record itself.
type known struct {
	branch   string    // of its project; empty where there is none
	draft    bool      // something typed for it is kept
	deadline time.Time // when its timeout strikes; zero for never
}

// asked puts a record in, or brings one up to date that is there. It reports
// whether it is new.
func (w *waiting) asked(rec desk.Record) bool {
	if r := w.find(rec.ID); r != nil {
		if r.rec.Outcome == nil {
			r.rec = rec
		}
		return false
	}
	at, _ := slices.BinarySearchFunc(w.rows, rec, func(r *row, rec desk.Record) int { return older(r.rec, rec) })
	w.insert(at, &row{rec: rec})
	return true
}

func older(a, b desk.Record) int {
	if d := a.CreatedAt.Compare(b.CreatedAt); d != 0 {
		return d
	}
	return strings.Compare(a.ID, b.ID)
}

// ended takes a record out; the selected one stays where it is.
func (w *waiting) ended(rec desk.Record) {
	if r := w.selected(); r != nil && r.rec.ID == rec.ID {
		r.rec = rec
		return
	}
	w.remove(rec.ID)
}

// renew brings the list in line with the records that are pending, and returns
// the ids of those in it that are not: they ended unheard.
func (w *waiting) renew(records []desk.Record) (gone []string) {
	w.loaded = true
	open := make(map[string]bool, len(records))
	for _, rec := range records {
		open[rec.ID] = true
		w.asked(rec)
	}
	for _, r := range w.rows {
		if r.rec.Outcome == nil && !open[r.rec.ID] {
			gone = append(gone, r.rec.ID)
		}
	}
	return gone
}

// sweep takes a row out if its record has ended.
func (w *waiting) sweep(r *row) {
	if r != nil && r.rec.Outcome != nil {
		w.remove(r.rec.ID)
	}
}

// open is how many records wait.
func (w *waiting) open() int {
	n := len(w.rows)
	if r := w.selected(); r != nil && r.rec.Outcome != nil {
		n--
	}
	return n
}

// next is how long what the rows in sight say about time stays true; 0 for
// good.
func (w *waiting) next(now time.Time, lines int) time.Duration {
	rows, _ := w.visible(lines)
	var next time.Duration
	for _, r := range rows {
		if r.rec.Outcome != nil {
			continue
		}
		_, good := words.Age(now.Sub(r.rec.CreatedAt))
		if !r.deadline.IsZero() {
			if _, until := words.Left(r.deadline.Sub(now)); until > 0 {
				good = min(good, until)
			}
		}
		if next == 0 || good < next {
			next = good
		}
	}
	return next
}

func (w *waiting) draw(s *term.Styles, width, lines int, now time.Time) []string {
	switch {
	case !w.loaded:
		return []string{s.Muted.Render("Looking at the desk…")}
	case len(w.rows) == 0:
		return append([]string{""}, term.Text(s.Muted, "Nothing waits for you. When an agent asks something, it shows up here.", width)...)
	}
	return w.list.draw(width, lines, func(r *row, selected bool) [rowHigh]string {
		return drawWaiting(s, r, selected, width, now)
	})
}

// drawWaiting shows what is asked and for how long, and below it who asks. The
// mark in front says whether somebody waits for the answer: ● yes, ○ no, and
// × that it has ended.
func drawWaiting(s *term.Styles, r *row, selected bool, width int, now time.Time) [rowHigh]string {
	style, lead, mark := s.Plain, "  ", "● "
	if selected {
		style, lead = s.Cursor, "› "
	}
	since, _ := words.Age(now.Sub(r.rec.CreatedAt))
	facts := r.facts(now)
	switch {
	case r.rec.Outcome != nil:
		mark, since = "× ", ""
		style = s.Muted
		facts = slices.Insert(facts, 0, words.Outcome(r.rec.Outcome))
	case !r.rec.Attended:
		mark = "○ "
	}
	return [rowHigh]string{
		style.Render(term.Apart(lead+mark+subject(r.rec), since, width)),
		s.Muted.Render(term.Cut("    "+strings.Join(facts, " · "), width)),
	}
}

// subject is what a record is about, as far as a line can show it.
func subject(rec desk.Record) string {
	const most = 4000 // bytes
	if len(rec.Questions) > 0 {
		first := rec.Questions[0]
		first.Header, first.Text = first.Header[:min(len(first.Header), most)], first.Text[:min(len(first.Text), most)]
		rec.Questions = slices.Concat([]question.Question{first}, rec.Questions[1:])
	}
	return words.Subject(rec)
}

// facts are who asks and what there is to know, the most important first.
func (r *row) facts(now time.Time) []string {
	rec := r.rec
	var out []string
	add := func(s string) {
		if s != "" {
			out = append(out, s)
		}
	}
	add(words.Client(rec.Asker))
	add(r.project())
	if rec.Outcome == nil {
		if !rec.Attended {
			add("nobody waits")
		}
		if !r.deadline.IsZero() {
			text, _ := words.Left(r.deadline.Sub(now))
			add(text)
		}
		if r.draft {
			add("draft kept")
		}
	}
	if rec.Round > 1 {
		add(fmt.Sprintf("round %d", rec.Round))
	}
	if rec.SessionID != "" {
		add("session " + question.Cut(question.Line(rec.SessionID), 8))
	}
	if rec.Outcome == nil {
		add(elsewhere(rec))
	}
	return out
}

// project names the directory that the asker works in, and its git branch if
// there is one.
func (r *row) project() string {
	name := words.Project(r.rec.Asker)
	if name != "" && r.branch != "" {
		name += " (" + question.Line(r.branch) + ")"
	}
	return name
}

// elsewhere says on which other surfaces a record is shown now.
func elsewhere(rec desk.Record) string {
	var places []string
	for _, s := range rec.ShownOn {
		if s.Why == "" && s.Surface != Name {
			places = append(places, words.Surface(s.Surface))
		}
	}
	if places == nil {
		return ""
	}
	return "also " + strings.Join(places, ", ")
}
