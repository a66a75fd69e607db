package desk

import (
	"context"
	"path/filepath"
	"slices"
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
// apart from case and blanks, and the same options in any order; it must still take that
// answer. Only the user's own answers are remembered, and none to secrets, confirmations
// or permissions. A failure of the store is logged.
func (d *Desk) Remembered(ctx context.Context, rec Record) map[string]Memory {
	out := map[string]Memory{}
	for _, q := range rec.memorable() {
		m, err := d.remembered(ctx, rec, q)
		if err != nil {
			d.log.InfoContext(ctx, "earlier answers are not known", "id", rec.ID, "error", err)
			break
		}
		if m != nil {
			out[q.ID] = *m
		}
	}
	return out
}

// remembered returns the last answer to a question; nil where there is none.
func (d *Desk) remembered(ctx context.Context, rec Record, q *question.Question) (*Memory, error) {
	find := store.Query{Ended: true, Project: rec.Asker.project(), Search: plainText(q.Text), Before: rec.CreatedAt}
	for before, err := range d.records(ctx, find, d.prove) {
		if err != nil {
			return nil, err
		}
		if before.State != Answered || before.Asker.Permission() || before.Set.Confirms() {
			continue
		}
		m := before.memory(q, memoryName(rec.Asker, q))
		if m != nil {
			return m, nil
		}
	}
	return nil, nil
}

// memory is the answer to a question of this name in a record, in terms of q.
func (rec *Record) memory(q *question.Question, name string) *Memory {
	for _, x := range rec.Responses() {
		if x.By() != question.ByUser || memoryName(rec.Asker, x.Question) != name {
			continue
		}
		a := question.Answer{QuestionID: q.ID, Custom: x.Answer.Custom}
		for _, id := range x.Answer.Selected {
			label := optionName(x.Option(id).Label)
			i := slices.IndexFunc(q.Options, func(o question.Option) bool { return optionName(o.Label) == label })
			if i < 0 { // two of them read alike
				return nil
			}
			a.Selected = append(a.Selected, q.Options[i].ID)
		}
		normal, err := q.Check(a)
		if err != nil || normal.Empty() {
			return nil
		}
		return &Memory{Record: rec.ID, At: rec.Outcome.At, Asker: rec.Asker, Answer: a, Words: q.Words(&a)}
	}
	return nil
}

// memorable are the questions of a record whose answers are remembered.
func (rec *Record) memorable() []*question.Question {
	if rec.Asker.Directory == "" || rec.Set.Confirms() || rec.Asker.Permission() {
		return nil
	}
	return slices.DeleteFunc(rec.All(), func(q *question.Question) bool { return q.Collected != nil || q.WantsSecret() })
}

// memoryName is the same for questions of a project that are the same to the user.
func memoryName(by Asker, q *question.Question) string {
	options := make([]string, len(q.Options))
	for i, o := range q.Options {
		options[i] = optionName(o.Label)
	}
	slices.Sort(options)
	return digest([]any{filepath.Clean(by.Directory), plainText(q.Text), q.Type, options})
}

// optionName is plainText of an option, whether or not it is recommended now.
func optionName(label string) string {
	return strings.TrimSpace(strings.TrimSuffix(plainText(label), "(recommended)"))
}
