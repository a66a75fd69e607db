package inbox

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
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
	typing  *term.Entry // the search while it is being typed
	limit   int         // how many records were asked for
	all     bool        // there are no more than those in the list
	loading bool
	number  int // of the latest look into the past; results of others are dropped
	stop    context.CancelFunc
}

// recalled are the records that a look into the past found.
type recalled struct {
	number  int
	records []desk.Record
	err     error
}

// recall reads the past records that fit the search.
func (m *model) recall(search string, limit int) tea.Cmd {
	h := &m.history
	if h.stop != nil {
		h.stop()
	}
	ctx, stop := context.WithCancel(m.ctx)
	h.stop = stop
	h.search, h.limit, h.loading = search, limit, true
	h.number++
	number := h.number
	return func() tea.Msg {
		defer stop()
		out := recalled{number: number}
		for rec, err := range m.desk.History(ctx, desk.Query{Search: search, Limit: limit}) {
			if err != nil {
				out.err = err
				break
			}
			out.records = append(out.records, rec)
		}
		return out
	}
}

// took puts in what a look into the past found. The selected record stays
// selected if it is there.
func (h *history) took(r recalled) {
	at := 0
	if s := h.selected(); s != nil {
		at = max(slices.IndexFunc(r.records, func(rec desk.Record) bool { return rec.ID == s.rec.ID }), 0)
	}
	above := h.at - h.top
	h.rows = make([]*row, len(r.records))
	for i, rec := range r.records {
		h.rows[i] = &row{rec: rec}
	}
	h.at, h.top = at, max(at-above, 0)
	h.loaded, h.loading = true, false
	h.all = len(r.records) < h.limit
}

// ended puts a record in that has ended just now, unless a search is on. The
// order is that of asking, as the desk has it.
func (h *history) ended(rec desk.Record) {
	if !h.loaded || h.search != "" {
		return
	}
	at, there := slices.BinarySearchFunc(h.rows, rec.ID, func(r *row, id string) int { return strings.Compare(id, r.rec.ID) })
	if !there {
		h.insert(at, &row{rec: rec})
	}
}

// settled puts in what a host has made of the reply to a record.
func (h *history) settled(rec desk.Record) {
	for _, r := range h.rows {
		if r.rec.ID == rec.ID {
			r.rec = rec
		}
	}
}

// bindHistory is bind on the history tab.
func (m *model) bindHistory(key string) func() tea.Cmd {
	h := &m.history
	r := h.selected()
	switch {
	case key == "/":
		return only(func() {
			h.typing = term.NewEntry(h.search, "words of a question, an answer, a project").OneLine("/")
			h.typing.Focus()
		})
	case key == "esc" && h.search != "":
		return func() tea.Cmd { return m.recall("", firstLook) }
	case key == "esc":
		return only(func() { m.tab = waitingTab })
	case r != nil && (key == "enter" || key == "i" || key == "space" || key == "right"):
		return m.read(r)
	}
	to, ok := h.target(key)
	if !ok {
		return nil
	}
	return func() tea.Cmd {
		h.at = to
		if to == len(h.rows)-1 && !h.all && !h.loading {
			return m.recall(h.search, 2*h.limit)
		}
		return nil
	}
}

// pressSearch handles a key or a paste while the search is being typed.
func (m *model) pressSearch(msg tea.Msg) tea.Cmd {
	h := &m.history
	key, _ := msg.(tea.KeyPressMsg)
	switch key.String() {
	case "esc":
		h.typing = nil
		return nil
	case "enter":
		search := h.typing.Text()
		h.typing = nil
		if search == h.search {
			return nil
		}
		return m.recall(search, firstLook)
	}
	if err := h.typing.Press(msg); err != nil {
		m.note = err.Error()
	}
	return nil
}

// count says how many records are in the list, with a plus when there are
// more to come.
func (h *history) count() string {
	switch {
	case h.loading:
		return "looking…"
	case h.all:
		return fmt.Sprintf("%d past", len(h.rows))
	}
	return fmt.Sprintf("%d+ past", len(h.rows))
}

func (h *history) draw(s *term.Styles, width, lines int, now time.Time) term.Block {
	if h.typing != nil {
		lines--
	}
	var b term.Block
	switch {
	case !h.loaded:
		b.Lines = []string{s.Muted.Render("Looking into the past…")}
	case len(h.rows) == 0 && h.search != "":
		b.Lines = append([]string{""}, term.Text(s.Muted, "Nothing past fits “"+question.Line(h.search)+"”. Esc shows everything again.", width)...)
	case len(h.rows) == 0:
		b.Lines = append([]string{""}, term.Text(s.Muted, "Nothing has been decided yet. What you answer is kept here.", width)...)
	default:
		b.Lines = h.list.draw(width, lines, func(r *row, selected bool) [rowHigh]string {
			return drawPast(s, r, selected, width, now)
		})
	}
	if h.typing == nil {
		return b
	}
	for len(b.Lines) < lines {
		b.Lines = append(b.Lines, "")
	}
	b.Add(h.typing.Draw(s, width, 1))
	return b
}

// drawPast shows what was asked and when it ended, and below it how. The mark
// in front says whether the human answered (✓) or not (×).
func drawPast(s *term.Styles, r *row, selected bool, width int, now time.Time) [rowHigh]string {
	style, lead, mark := s.Plain, "  ", "× "
	if selected {
		style, lead = s.Cursor, "› "
	}
	o := r.rec.Outcome
	if o.Status == desk.Answered {
		mark = "✓ "
	}
	facts := []string{words.Outcome(o)}
	said := ""
	if o.Status == desk.Answered {
		said = words.Decision(r.rec)
	}
	for _, fact := range []string{said, question.Line(words.Reason(o)), words.Client(r.rec.Asker), words.Project(r.rec.Asker)} {
		if fact != "" {
			facts = append(facts, fact)
		}
	}
	return [rowHigh]string{
		style.Render(term.Apart(lead+mark+subject(r.rec), moment(o.At, now), width)),
		s.Muted.Render(term.Cut("    "+strings.Join(facts, " · "), width)),
	}
}

// moment is when something was: the time of day, the day before today.
func moment(at, now time.Time) string {
	at = at.In(now.Location())
	switch {
	case at.Format(time.DateOnly) == now.Format(time.DateOnly):
		return at.Format("15:04")
	case at.Year() == now.Year():
		return at.Format("2 Jan")
	}
	return at.Format("2 Jan 2006")
}
