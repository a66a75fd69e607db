package desk

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcp-askuser/question"
)

// Memory is how the human answered a question before.
type Memory struct {
	Record string          // the id of the record in which they did
	At     time.Time       // when
	Asker  Asker           // who had asked then
	Answer question.Answer // what it would be to the question as it is asked now, not yet anybody's word
	Words  []string        // the same in words, as [question.Question.Words] has them
}

// Remembered returns, by question id, how the human answered the questions of a record the
// last time that any client asked them in its project. The same question has the same text,
// apart from case and blanks, and the same options in any order; it must still take that
// answer. Only the human's own answers are remembered, and none to secrets, confirmations
// or permissions.
//
// A failure of the store is logged. It costs one listing of what is not archived, and for
// each question one read of an index and one of a record, whatever the size of the archive.
func (d *Desk) Remembered(ctx context.Context, rec Record) map[string]Memory {
	out := map[string]Memory{}
	questions := rec.memorable()
	if len(questions) == 0 {
		return out
	}
	if err := d.archiveAll(ctx, KindReplies); err != nil { // only archived records are in the index
		d.log.InfoContext(ctx, "the last answers may not be known", "id", rec.ID, "error", err)
	}
	for _, q := range questions {
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
// Marks that lead to older ones are taken out on the way.
func (d *Desk) remembered(ctx context.Context, rec Record, q *question.Question) (*Memory, error) {
	name := memoryName(rec.Asker, q)
	ids, err := d.store.Marks(ctx, MarkAnswered, name)
	if err != nil {
		return nil, err
	}
	for i, id := range slices.Backward(ids) {
		before, err := d.archived(ctx, id)
		switch {
		case id >= rec.ID, d.leaveOut(ctx, id, err):
			continue
		case err != nil:
			return nil, err
		}
		for _, older := range ids[:i] {
			if err := d.store.Unmark(ctx, MarkAnswered, name, older); err != nil {
				d.log.DebugContext(ctx, "an older answer stays in the index", "id", older, "error", err)
			}
		}
		return before.memory(q, name), nil
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
		if normal, err := q.Check(a); err != nil || normal.Empty() {
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

// memories are the names under which the index has the answers of a record to some of
// its questions, if it has them.
func (rec *Record) memories(questions []*question.Question) (names []string) {
	if rec.State != Answered {
		return nil
	}
	reply := rec.Reply()
	for _, q := range questions {
		if a := reply.Answer(q.ID); a != nil && !a.Empty() && a.By == question.ByUser {
			names = append(names, memoryName(rec.Asker, q))
		}
	}
	return names
}

// remember puts the answers of a record that is archived into the index.
// Failing loses a convenience.
func (d *Desk) remember(ctx context.Context, rec *Record) {
	var err error
	for _, name := range rec.memories(rec.memorable()) {
		err = errors.Join(err, d.store.Mark(ctx, MarkAnswered, name, rec.ID))
	}
	if err != nil {
		d.log.InfoContext(ctx, "an answer will not be remembered", "id", rec.ID, "error", err)
	}
}

// memoryName is the name under which the index has a question of a project: the
// same for questions that are the same to the human.
func memoryName(by Asker, q *question.Question) string {
	options := make([]string, len(q.Options))
	for i, o := range q.Options {
		options[i] = optionName(o.Label)
	}
	slices.Sort(options)
	return digest([]any{filepath.Clean(by.Directory), plainName(q.Text), q.Type, options})[:32]
}

// plainName is a text without what makes no difference to its reader.
func plainName(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(question.Line(s)), " "))
}

// optionName is plainName of an option, whether or not it is recommended now.
func optionName(label string) string {
	return strings.TrimSpace(strings.TrimSuffix(plainName(label), "(recommended)"))
}
