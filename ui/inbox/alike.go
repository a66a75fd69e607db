package inbox

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// Several agents may ask the same: these records are one row of the list, and an answer to one
// of them is sent to the others by a second act.

// given is an answer that was sent from a form, and may be sent to records alike.
type given struct {
	id    string // of the record
	alike string // see desk.Record.Alike
	reply question.Reply
	sent  []string // the ids of records whose end is no news to the user, who has sent it
}

// merge returns the rows with those of records alike as one, the first of them.
func merge(rows []*row) []*row {
	rows, times := view.Merge(rows, func(r *row) string { return r.alike })
	for i, n := range times {
		if n > 1 {
			merged := *rows[i]
			merged.times = n
			rows[i] = &merged
		}
	}
	return rows
}

// others returns the ids of the open records that ask what was answered last, the oldest first.
func (m *model) others() []string {
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(m.open)) {
		if m.last.alike != "" && m.open[id].alike == m.last.alike {
			ids = append(ids, id)
		}
	}
	return ids
}

// sentNote is what the list says after an answer was sent: also how many others it fits.
func (m *model) sentNote(a *answer) string {
	reply := a.form.Reply()
	if reply.Dismissed || reply.Discuss {
		return a.form.Closing()
	}
	m.last = given{id: a.rec.ID, alike: a.rec.Alike(), reply: reply}
	n := len(m.others())
	if n == 0 {
		return a.form.Closing()
	}
	return words.N(n, "Answer sent. %d other asks the same: = sends it the same answer.",
		"Answer sent. %d others ask the same: = sends them the same answer.")
}

// answerOthers sends the last answer to the records that ask the same.
func (m *model) answerOthers() tea.Cmd {
	ids, last := m.others(), m.last
	m.last.sent = append(m.last.sent, ids...)
	if len(ids) == 0 {
		m.note = words.T("Nothing that waits asks what you answered last.")
		return nil
	}
	return func() tea.Msg {
		var failed error
		sent := 0
		for _, id := range ids {
			err := m.reply(id, m.desk.CopyFiles(m.ctx, last.id, id, last.reply))
			switch {
			case err == nil:
				sent++
			case !errors.As(err, new(*desk.ClosedError)): // else the answer of another surface was first
				failed = cmp.Or(failed, err)
			}
		}
		return term.Callback(term.Action(func() {
			m.note = words.N(sent, "The same answer was sent to %d other.", "The same answer was sent to %d others.")
			if failed != nil {
				m.note = words.Local.Kept(failed)
			}
		}))
	}
}
