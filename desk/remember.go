package desk

import (
	"context"
	"maps"
	"strings"
	"time"

	"mcp-askuser/desk/store"
	"mcp-askuser/question"
)

// Memory is how the user answered a question before.
type Memory struct {
	Record string          // the id of the record in which they did
	At     time.Time       // when
	Asker  Asker           // who had asked then
	Answer question.Answer // what it would be to the question as it is asked now, not yet anybody's word
	Words  []string        // the same in words, as [question.Question.Words] has them
}

// Remembered returns, by question id, how the user answered the questions of a record the
// last time that any client asked them in its project. The same question has the same text,
// apart from case and blanks, and still takes that answer: each option that the user chose is
// one of its options, by its label. Only the user's own answers are remembered, and none to
// secrets, confirmations or permissions. A failure of the store is logged. The map is not to be changed.
func (d *Desk) Remembered(ctx context.Context, rec Record) map[string]Memory {
	var asked []*question.Question
	var texts []string
	for _, q := range rec.All() {
		if q.Collected == nil && !q.WantsSecret() {
			asked, texts = append(asked, q), append(texts, plainText(q.Text))
		}
	}
	if rec.Asker.Directory == "" || !rec.memorable() || asked == nil {
		return nil
	}
	before, project := d.foundFor(rec.ID), rec.Asker.project()
	find := store.Query{Ended: true, Before: rec.CreatedAt, After: before.read, Search: texts}
	if find.After == (store.Revision{}) { // else what has changed is fewer rows than those of the project
		find.Project = project
	}
	out := map[string]Memory{} // not the one before, which its reader has
	maps.Copy(out, before.memories)
	read, err := d.store.Revision(ctx)
	for past, failed := range d.records(ctx, find, d.prove) {
		if failed != nil {
			err = failed
			break
		}
		for _, q := range asked {
			m, answered := past.memory(q)
			if answered && past.Asker.project() == project && m.Record >= out[q.ID].Record {
				out[q.ID] = m
			}
		}
		if find.Project != "" && len(out) == len(asked) { // the last asked was first
			break
		}
	}
	switch {
	case err != nil:
		d.log.InfoContext(ctx, "earlier answers are not known", "id", rec.ID, "error", err)
	case d.Away() == nil:
		d.keepFound(rec.ID, found{read, out})
	}
	return out
}

// found is what was found for an open record, and how far was read for it. A page asks for it after
// each change, and a project may have a long history.
type found struct {
	read     store.Revision
	memories map[string]Memory
}

func (d *Desk) foundFor(id string) found {
	d.remembering.Lock()
	defer d.remembering.Unlock()
	return d.found[id]
}

func (d *Desk) keepFound(id string, f found) {
	const most = 100 // records that users have in front of them
	d.remembering.Lock()
	defer d.remembering.Unlock()
	if len(d.found) >= most {
		clear(d.found)
	}
	d.found[id] = f
}

func (rec *Record) memorable() bool { return !rec.Set.Confirms() && !rec.Asker.Permission() }

// memory returns the user's answer to a question in an ended record; false where it has none.
func (rec *Record) memory(q *question.Question) (Memory, bool) {
	if rec.State != Answered || !rec.memorable() {
		return Memory{}, false
	}
	for _, x := range rec.Responses() {
		if x.By() != question.ByUser || x.Type != q.Type || plainText(x.Question.Text) != plainText(q.Text) {
			continue
		}
		a, fits := sameAnswer(x, q)
		if fits {
			return Memory{rec.ID, rec.Outcome.At, rec.Asker, a, q.Words(&a)}, true
		}
	}
	return Memory{}, false
}

// sameAnswer returns an answer in terms of q. It is false where q does not take it.
func sameAnswer(x question.Response, q *question.Question) (question.Answer, bool) {
	a := question.Answer{QuestionID: q.ID, Custom: x.Answer.Custom}
	for _, id := range x.Answer.Selected {
		label, found := optionName(x.Option(id).Label), len(a.Selected)
		for _, o := range q.Options {
			if optionName(o.Label) == label {
				a.Selected = append(a.Selected, o.ID)
			}
		}
		if len(a.Selected) != found+1 { // none, or two that read alike
			return a, false
		}
	}
	normal, err := q.Check(a)
	return a, err == nil && !normal.Empty()
}

// optionName is plainText of an option, whether or not it is recommended now.
func optionName(label string) string {
	return strings.TrimSpace(strings.TrimSuffix(plainText(label), "(recommended)"))
}
