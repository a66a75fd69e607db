package inbox

import (
	"context"
	"errors"
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
	limit   int  // how many records were asked for
	all     bool // there are no more than those in the list
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

// reopened is the message that a past record is before the human again.
type reopened struct {
	rec desk.Record
	err error
}

// limitLifted is the message that the limit of rounds is lifted, or not.
type limitLifted struct{ err error }

// recall reads the past records that fit the search.
func (m *model) recall(search string, limit int) tea.Cmd {
	h := &m.history
	if h.stop != nil {
		h.stop()
	}
	ctx, stop := context.WithCancel(m.ctx)
	h.stop = stop
	h.search, h.limit, h.loading = search, max(limit, firstLook), true
	h.number++
	number, query := h.number, desk.Query{Search: search, Limit: h.limit}
	return func() tea.Msg {
		defer stop()
		out := recalled{number: number}
		for rec, err := range m.desk.History(ctx, query) {
			if err != nil {
				out.err = err
				break
			}
			out.records = append(out.records, rec)
		}
		return out
	}
}

// look brings what is known of the past up to date: the desk does not tell of
// calls that were refused.
func (m *model) look() tea.Cmd { return m.recall(m.history.search, m.history.limit) }

// took puts in what a look into the past found.
func (h *history) took(r recalled) {
	known := make(map[string]*row, len(h.rows))
	for _, r := range h.rows {
		known[r.rec.ID] = r
	}
	rows := make([]*row, len(r.records))
	for i, rec := range r.records {
		rows[i] = &row{}
		if old := known[rec.ID]; old != nil {
			rows[i] = old
		}
		rows[i].rec = rec
	}
	h.show(rows)
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
		h.show(slices.Insert(slices.Clone(h.rows), at, &row{rec: rec}))
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

// reopen asks the human a past question again; its form opens then.
func (m *model) reopen(id string) tea.Cmd {
	return func() tea.Msg {
		m.writes.RLock()
		defer m.writes.RUnlock()
		rec, err := m.desk.Reopen(m.ctx, id)
		if errors.Is(err, desk.ErrPending) {
			err = nil
		}
		return reopened{rec, err}
	}
}

func (m *model) goBackTo(r reopened) tea.Cmd {
	if r.err != nil {
		m.note = words.Sentence("It cannot be asked again: " + question.Line(r.err.Error()))
		return nil
	}
	m.tab = waitingTab
	m.narrow("")
	m.waiting.asked(r.rec)
	m.waiting.arrange()
	m.waiting.selectRow(m.waiting.find(r.rec.ID))
	return m.fetch(r.rec.ID)
}

// lift lifts the limit of rounds for a session.
func (m *model) lift(session string) tea.Cmd {
	return func() tea.Msg {
		m.writes.RLock()
		defer m.writes.RUnlock()
		return limitLifted{m.desk.Lift(m.ctx, session)}
	}
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

func (h *history) draw(s *term.Styles, width, lines int, now time.Time) []string {
	text := ""
	switch {
	case !h.loaded:
		text = "Looking into the past…"
	case len(h.rows) == 0 && h.search != "":
		text = "Nothing past fits “" + question.Line(h.search) + "”. Esc shows everything again."
	case len(h.rows) == 0:
		text = "Nothing has been decided yet. What you answer is kept here."
	default:
		return h.list.draw(s, width, lines, func(r *row, selected bool) [rowHigh]string {
			return drawPast(s, r, selected, width, now)
		})
	}
	h.lay(0)
	return append([]string{""}, term.Text(s.Muted, text, width)...)
}

// drawPast shows what was asked and when it ended, and below it how. The mark
// in front says whether the human answered (✓), wants to talk about it (…), or
// neither (×), and that a call was refused (!).
func drawPast(s *term.Styles, r *row, selected bool, width int, now time.Time) [rowHigh]string {
	style, lead := r.lead(s, selected)
	o, mark, said := r.rec.Outcome, "× ", ""
	switch {
	case o.Status == desk.Answered:
		mark, said = "✓ ", words.Decision(r.rec)
	case o.Status == desk.Discuss:
		mark = "… "
	case o.Refused():
		mark = "! "
	}
	var facts []string
	for _, fact := range []string{said, words.Outcome(o), question.Line(words.Reason(o)), words.Asker(r.rec.Asker)} {
		if fact != "" {
			facts = append(facts, fact)
		}
	}
	return [rowHigh]string{
		style.Render(term.Apart(lead+mark+subject(r.rec), moment(o.At, now), width)),
		s.Muted.Render(term.Cut("    "+strings.Join(facts, " · "), width)),
	}
}

// welcome stands where nothing waits: the last answers, and how agents come to
// ask.
func (h *history) welcome(s *term.Styles, width, lines int, now time.Time) []string {
	var out []string
	for _, r := range h.rows {
		if o := r.rec.Outcome; o.Status == desk.Answered && len(out) < max(min(10, lines-9), 0)/rowHigh*rowHigh {
			past := drawPast(s, r, false, width, now)
			out = append(out, past[:]...)
		}
	}
	if out != nil {
		out = append(append([]string{s.Strong.Render("Last answers"), ""}, out...), "")
	}
	out = append(out, s.Strong.Render("Connect an agent"))
	for _, way := range [][2]string{
		{"MCP      ", "claude mcp add --scope user askuser -- mcp-askuser"},
		{"shell    ", "mcp-askuser ask; mcp-askuser skill says how"},
		{"try it   ", "mcp-askuser demo, in another terminal"},
	} {
		out = append(out, term.Hang(s.Muted.Render(way[0]), way[1], width)...)
	}
	return out
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
