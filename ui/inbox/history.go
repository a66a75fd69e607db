package inbox

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// firstLook is how many past records are read at first. At the end of the list
// twice as many are.
const firstLook = 200

// history is the list of past records, the last asked first, and the search in it.
type history struct {
	list
	loaded  bool
	search  string
	limit   int  // how many records were asked for
	all     bool // there are no more than those in the list
	loading bool
	stop    context.CancelFunc // ends the latest reading
}

func (m *model) loadHistory(search string, limit int) tea.Cmd {
	h := &m.history
	if h.stop != nil {
		h.stop()
	}
	ctx, stop := context.WithCancel(m.ctx)
	h.stop = stop
	h.search, h.limit, h.loading = search, max(limit, firstLook), true
	query := desk.Query{Search: search, Limit: h.limit}
	return func() tea.Msg {
		var records []desk.Record
		var fault error
		for rec, err := range m.desk.History(ctx, query) {
			if fault = err; err != nil {
				break
			}
			records = append(records, rec)
		}
		return term.Then(term.Only(func() {
			if ctx.Err() != nil { // a later look is on its way
				return
			}
			stop()
			if h.set(records); fault != nil {
				m.note = words.T("The past cannot be read: %s", question.Line(fault.Error()))
			}
		}))
	}
}

// reloadHistory reads the same records again: no event reports calls that were refused.
func (m *model) reloadHistory() tea.Cmd { return m.loadHistory(m.history.search, m.history.limit) }

func (h *history) set(records []desk.Record) {
	old := make(map[string]*row, len(h.rows))
	for _, r := range h.rows {
		old[r.rec.ID] = r
	}
	rows := make([]*row, len(records))
	for i, rec := range records {
		rows[i] = cmp.Or(old[rec.ID], &row{})
		rows[i].rec = rec
	}
	h.show(rows)
	h.loaded, h.loading = true, false
	h.all = len(records) < h.limit
}

// put updates a record that has ended, or adds it, unless a search is on, in the order of
// asking.
func (h *history) put(rec desk.Record) {
	at, known := slices.BinarySearchFunc(h.rows, rec.ID, func(r *row, id string) int { return strings.Compare(id, r.rec.ID) })
	switch {
	case known:
		h.rows[at].rec = rec
	case h.loaded && h.search == "":
		h.show(slices.Insert(slices.Clone(h.rows), at, &row{rec: rec}))
	}
}

// reopen asks the human a past question again, and opens its form.
func (m *model) reopen(id string) tea.Cmd {
	return func() tea.Msg {
		m.writes.RLock()
		defer m.writes.RUnlock()
		rec, err := m.desk.Reopen(m.ctx, id)
		return term.Then(func() tea.Cmd {
			if err != nil && !errors.Is(err, desk.ErrPending) {
				m.note = words.Local.Sentence(words.T("It cannot be asked again: %s", question.Line(err.Error())))
				return nil
			}
			m.past = false
			m.waiting.put(rec)
			m.narrow("")
			m.waiting.selectRow(m.waiting.all[rec.ID])
			return m.loadForm(rec.ID, formStart{})
		})
	}
}

// count says how many records are in the list, with a plus when there are
// more to come.
func (h *history) count() string {
	switch {
	case h.loading:
		return words.T("looking…")
	case h.all:
		return words.N(len(h.rows), "%d past", "%d past")
	}
	return words.T("%d+ past", len(h.rows))
}

func (h *history) draw(s *term.Styles, width, lines int, now time.Time) []string {
	text := words.T("Nothing has been decided yet. What you answer is kept here.")
	switch {
	case !h.loaded:
		text = words.T("Looking into the past…")
	case h.search != "":
		text = words.T("Nothing past fits “%s”. Esc shows everything again.", question.Line(h.search))
	}
	return h.list.draw(s, text, width, lines, now, drawPast)
}

// drawPast shows what was asked and when it ended, and below it how. The mark
// in front says whether the human answered (✓), wants to talk about it (…), or
// neither (×), and that a call was refused (!).
func drawPast(s *term.Styles, r *row, selected bool, width int, now time.Time) [rowHigh]string {
	lead, style := s.Row(selected)
	past, mark, answer := view.Local(r.rec), "× ", ""
	switch {
	case past.State == desk.Answered:
		mark, answer = "✓ ", past.Decision()
	case past.State == desk.Discuss:
		mark = "… "
	case past.Outcome.Refused():
		mark = "! "
	}
	facts := slices.DeleteFunc([]string{answer, past.Ended(), question.Line(past.Reason()), past.AskedBy()},
		func(fact string) bool { return fact == "" })
	return [rowHigh]string{
		style.Render(term.Justify(lead+mark+subject(r.rec), past.Since().In(now.Location()).Format(words.T("2 Jan 15:04")), width)),
		s.Muted.Render(term.Cut("    "+strings.Join(facts, " · "), width)),
	}
}

// welcome is shown where nothing waits: the last answers, and how to connect an agent.
func (h *history) welcome(s *term.Styles, width, lines int, now time.Time) (out []string) {
	for _, r := range h.rows {
		if len(out)/rowHigh < min(5, (lines-1)/rowHigh) && r.rec.Outcome.Status == desk.Answered {
			past := drawPast(s, r, false, width, now)
			out = append(out, past[:]...)
		}
	}
	if out != nil {
		out = append(append([]string{s.Strong.Render(words.T("Last answers"))}, out...), "")
	}
	return append(append(out, s.Strong.Render(words.T("Connect an agent"))), term.Table(s.Muted, column, [][2]string{
		{"MCP", "mcp-askuser install"},
		{words.T("shell"), words.T("mcp-askuser ask; mcp-askuser skill says how")},
		{words.T("try it"), words.T("mcp-askuser demo, in another terminal")},
	}, width)...)
}
