package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// draft returns the draft of an open record, and when it was saved; an empty one where
// none exists or can be read.
func (s *Server) draft(ctx context.Context, id string) (question.Reply, time.Time, error) {
	draft, at, err := s.Desk.Draft(ctx, id)
	if errors.Is(err, desk.ErrDamaged) {
		s.Log.WarnContext(ctx, "leaving out a draft", "id", id, "error", err)
	}
	if errors.Is(err, desk.ErrDamaged) || errors.Is(err, desk.ErrNotFound) {
		err = nil
	}
	return draft, at, err
}

// answerOne takes a program's answer to one question of a set, and keeps it in the draft,
// marked as a program's: the other answers there are being typed by the user, and are not
// sent yet. The answer that leaves no required question open commits the set. Open are
// the ids of the questions that are still open; waited says that the asker waited for the
// set.
func (s *Server) answerOne(ctx context.Context, rec *desk.Record, id string, given question.Reply) (open []string, waited bool, err error) {
	err = s.Desk.MayAnswer(ctx, *rec, s.evidence(ctx, &given))
	if err != nil {
		return nil, false, api.Late(&rec.Set, err)
	}
	s.drafts.Lock()
	defer s.drafts.Unlock()
	draft, at, err := s.draft(ctx, rec.ID)
	if err != nil {
		return nil, false, err
	}
	reply := given
	reply.Answers = draft.Given()
	by := question.ByProgram
	if senderOf(ctx).how == desk.HowFrontEnd {
		by = question.ByFrontEnd
	}
	if reply.Answer(id) != nil {
		return nil, false, answeredBefore(rec, id, reply, at)
	}
	if parent, option := parentOf(&rec.Set, id); parent != nil {
		if a := cmp.Or(parent.Collected, reply.Answer(parent.ID)); a == nil || !slices.Contains(a.Selected, option.ID) {
			return nil, false, question.Violations{{Path: "answers." + id, Message: fmt.Sprintf("is asked only where %q is answered with %q", parent.ID, option.ID)}}
		}
	}
	reply.Answers = append(reply.Answers, given.Answers...)
	_, err = rec.Check(reply)
	var faults question.Violations
	found, _ := errors.AsType[question.Violations](err)
	for _, v := range found {
		if other, ok := strings.CutPrefix(v.Path, "answers."); ok && other != id {
			open = append(open, other) // kept answers are valid: the fault is a missing answer
		} else {
			faults = append(faults, v)
		}
	}
	switch {
	case len(faults) > 0:
		return nil, false, faults
	case len(open) == 0:
		answered, err := s.reply(ctx, rec.ID, reply)
		return nil, answered.Attended, err
	case given.Note != "":
		return nil, false, question.Violations{{Path: "note", Message: "goes with the answer that completes the set; still open: " + strings.Join(open, ", ")}}
	}
	return open, false, api.Late(&rec.Set, s.Desk.KeepAnswers(ctx, rec.ID, given.Answers, by))
}

// parentOf returns the question and the option that bring up a follow-up; nil
// for a question of the set itself.
func parentOf(set *question.Set, id string) (*question.Question, *question.Option) {
	for _, q := range set.All() {
		for i := range q.Options {
			o := &q.Options[i]
			if slices.ContainsFunc(o.FollowUps, func(f question.Question) bool { return f.ID == id }) {
				return q, o
			}
		}
	}
	return nil, nil
}

// answeredBefore is the problem of a second answer to a question, with the first one, while
// the set is open.
func answeredBefore(rec *desk.Record, id string, given question.Reply, at time.Time) error {
	p := api.Problemf(api.AlreadyAnswered, "The question %q is answered already; the answer is kept until the rest of the set has one.", id)
	others := func(x question.Response) bool { return x.ID != id }
	p.First = &api.First{
		Status: desk.Answered, Surface: surfaceName, At: at,
		Answers: api.ByKey(slices.DeleteFunc(rec.Set.Asked(&given), others)),
	}
	return p
}

// saveDraft saves what the user has filled in so far.
func (s *Server) saveDraft(ctx context.Context, id string, typed question.Reply) error {
	s.drafts.Lock()
	defer s.drafts.Unlock()
	return s.Desk.SaveDraft(ctx, id, typed)
}
