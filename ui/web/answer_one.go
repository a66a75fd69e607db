package web

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

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
	s.answering.Lock()
	defer s.answering.Unlock()
	draft, at, err := s.Desk.Draft(ctx, rec.ID)
	if err != nil && !errors.Is(err, desk.ErrNotFound) {
		return nil, false, err
	}
	reply := given
	reply.Answers = draft.Given()
	if reply.Answer(id) != nil {
		return nil, false, answeredBefore(rec, id, reply, at)
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
		faults.Add("note", "goes with the answer that completes the set; still open: %s", strings.Join(open, ", "))
		return nil, false, faults
	}
	by := question.ByProgram
	if senderOf(ctx).how == desk.HowFrontEnd {
		by = question.ByFrontEnd
	}
	return open, false, api.Late(&rec.Set, s.Desk.KeepAnswers(ctx, rec.ID, given.Answers, by))
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
