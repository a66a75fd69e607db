package inbox

import (
	"cmp"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// recordReader is what there is to know of a record: what was asked and what became of it,
// who asked, and where it was shown.
func (m *model) recordReader(r *row) *term.Reader {
	zone := m.Now().Location()
	return term.NewReader(title(r.rec), func(s *term.Styles, width int) []string {
		return append(term.DrawRecord(s, r.rec, true, width), term.Table(s.Muted, column, r.details(zone), width)...)
	})
}

// column is where, in cells, the values of a table begin.
const column = 9

func title(rec desk.Record) string {
	if rec.Outcome != nil {
		return words.T("Past question")
	}
	header := ""
	if len(rec.Questions) > 0 {
		header = term.Line(words.Local.Shown(rec).Questions[0].Header, maxWidth)
	}
	return cmp.Or(header, words.T("Question"))
}

func (r *row) details(zone *time.Location) [][2]string {
	rec := view.Local(r.rec)
	at := func(t time.Time) string { return t.In(zone).Format(words.T("2 Jan 2006 15:04:05")) }
	out := [][2]string{{words.T("Asked"), at(rec.CreatedAt)}}
	add := func(name, value string) {
		if value != "" {
			out = append(out, [2]string{name, value})
		}
	}
	switch o := rec.Outcome; {
	case o != nil:
		add(words.T("Ended"), words.T("%[1]s, %[2]s", rec.Ended(), at(o.At)))
		add(words.T("Reason"), rec.Reason())
		add(words.T("Later"), rec.Overruled())
	case rec.Attended:
		add(words.T("State"), words.T("the agent waits for the answer"))
	default:
		add(words.T("State"), words.T(words.AgentNotWaiting))
	}
	if rec.Outcome == nil && !r.deadline.IsZero() {
		add(words.T("Closes"), at(r.deadline))
	}
	add(words.T("By"), rec.Program())
	add(words.T("In"), question.Line(rec.Asker.Directory))
	add(words.T("Session"), question.Line(rec.SessionID))
	for _, s := range rec.Surfaces() {
		shown := s.Where
		if s.Why != "" {
			shown = words.T("not %[1]s: %[2]s", shown, s.Why)
		}
		add(words.T("Shown"), shown)
	}
	add(words.T("Id"), rec.ID)
	return out
}
