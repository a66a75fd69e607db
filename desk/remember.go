package desk

import (
	"context"
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
// secrets, confirmations or permissions. They are read once, as a page asks for them after each change.
// A failure of the store is logged. The map is not to be changed.
func (d *Desk) Remembered(ctx context.Context, rec Record) map[string]Memory {
	known, _ := d.remembered.Load(rec.ID)
	out, ok := known.(map[string]Memory)
	if ok {
		return out
	}
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
	out = map[string]Memory{}
	find := store.Query{Ended: true, Before: rec.CreatedAt, Project: rec.Asker.project(), Search: texts}
	for past, err := range d.records(ctx, find, d.prove) { // the last asked is first
		if err != nil {
			d.log.InfoContext(ctx, "earlier answers are not known", "id", rec.ID, "error", err)
			return out
		}
		for _, q := range asked {
			m, answered := past.memory(q)
			_, later := out[q.ID]
			if answered && !later {
				out[q.ID] = m
			}
		}
		if len(out) == len(asked) {
			break
		}
	}
	if d.Away() == nil {
		d.remembered.Store(rec.ID, out)
	}
	return out
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
