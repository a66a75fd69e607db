package inbox

import (
	"cmp"

	"mcp-askuser/desk"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// recordReader is what there is to know of a record: what was asked and what became of it,
// who asked, and where it was shown.
func (m *model) recordReader(r *row) *term.Reader {
	zone := m.Now().Location()
	return term.NewReader(title(r.rec), func(s *term.Styles, width int) []string {
		details := view.Local(r.rec).Details(zone)
		return append(term.DrawRecord(s, r.rec, true, width), term.Table(s.Muted, column, details, width)...)
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
