package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/words"
)

// answerBody is the body of POST /api/task/answer: the answer to one question
// of a session or record, or the answers to a whole set by the record's
// id.
type answerBody struct {
	SessionID  *string         `json:"session_id"`
	QuestionID string          `json:"question_id"`
	Answer     json.RawMessage `json:"answer"`

	ID      string          `json:"id"`
	Answers json.RawMessage `json:"answers"`

	Note    string          `json:"note"`    // on the whole
	Notes   json.RawMessage `json:"notes"`   // beside answers, keyed as they are
	Files   json.RawMessage `json:"files"`   // of answers, as they were attached, keyed likewise
	Discuss bool            `json:"discuss"` // the answers are those so far
}

// answerShape is the hint for a body that is not valid.
const answerShape = `Send {"session_id", "question_id", "answer"} for one question, ` +
	`{"id", "answers"} for a whole set, or {"id", "discuss": true, "note"} to discuss it first.`

func (s *Server) answer(w http.ResponseWriter, r *http.Request) error {
	var body answerBody
	err := readBody(r, api.InvalidAnswer, &body)
	if err != nil {
		return err
	}
	rec, err := s.target(r.Context(), body)
	if err != nil {
		return err
	}
	if rec.Outcome != nil {
		return api.Late(&rec.Set, &desk.ClosedError{ID: rec.ID, Outcome: *rec.Outcome})
	}
	reply, err := body.reply(&rec)
	if err != nil {
		return err
	}

	if body.QuestionID != "" {
		s.answering.Lock()
		defer s.answering.Unlock()
		open, err := s.addToDraft(r.Context(), &rec, body.QuestionID, &reply)
		if err != nil {
			return err
		}
		if len(open) > 0 {
			left := words.English.N(len(open), "%d question of the set is", "%d questions of the set are")
			return writeDone(w, "The answer is kept; "+left+" still open: "+strings.Join(open, ", ")+".")
		}
	}
	_, err = s.reply(r.Context(), rec.ID, reply)
	if err != nil {
		return err
	}
	if body.Discuss {
		return writeDone(w, "The question is put back to be discussed first.")
	}
	return writeDone(w, "The answer is recorded.")
}

// target returns the record that a body names. Of the records of a session that have the
// question it is the oldest that is open, else the latest.
func (s *Server) target(ctx context.Context, body answerBody) (found desk.Record, err error) {
	if body.ID != "" {
		found, err = s.Desk.Get(ctx, body.ID)
		if err == nil && body.SessionID != nil && *body.SessionID != found.SessionID {
			err = api.Problemf(api.QuestionNotFound, "The session has no question %q.", body.ID)
		}
		return found, err
	}
	if body.SessionID == nil || body.QuestionID == "" {
		return found, api.Problemf(api.InvalidAnswer, "%s", answerShape)
	}
	records, err := s.session(ctx, *body.SessionID)
	if err != nil {
		return found, err
	}
	for _, rec := range records {
		if rec.Find(body.QuestionID) != nil && (found.ID == "" || found.Outcome != nil) {
			found = rec
		}
	}
	if found.ID == "" {
		err = api.Problemf(api.QuestionNotFound, "The session has no question %q.", body.QuestionID)
	}
	return found, err
}

// reply returns the reply in a body to the questions of rec, or to the one that it names.
func (body answerBody) reply(rec *desk.Record) (r question.Reply, err error) {
	has := func(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
	one := body.QuestionID != ""
	ofOne, ofSet := has(body.Answer), has(body.Answers) || body.Discuss
	switch {
	case ofOne && !one, ofSet && one, !ofOne && !ofSet && !has(body.Files):
		return r, api.Problemf(api.InvalidAnswer, "%s", answerShape)
	case one && rec.Find(body.QuestionID) == nil:
		return r, api.Problemf(api.QuestionNotFound, "The set has no question %q.", body.QuestionID)
	}
	if one && has(body.Answer) {
		only := []map[string]any{{"question_id": body.QuestionID, "answer": body.Answer}}
		body.Answers, err = json.Marshal(only)
		if err != nil {
			return r, err
		}
	}
	members := map[string]json.RawMessage{"answers": body.Answers, "notes": body.Notes, "files": body.Files}
	r, err = rec.ParseMembers(members, true)
	r.Note, r.Discuss = body.Note, body.Discuss
	return r, err
}

// addToDraft adds the answers that the draft has of programs to a reply to one question. While a
// required question is open, the reply is kept in the draft, marked as a program's: the other
// answers there are being typed by the user, and are not sent yet. Open are the ids of the questions
// that are still open. Callers must hold s.answering.
func (s *Server) addToDraft(
	ctx context.Context, rec *desk.Record, id string, r *question.Reply,
) (open []string, err error) {
	err = s.Desk.MayAnswer(ctx, *rec, s.evidence(ctx, r))
	if err != nil {
		return nil, api.Late(&rec.Set, err)
	}
	draft, at, err := s.Desk.Draft(ctx, rec.ID)
	if err != nil && !errors.Is(err, desk.ErrNotFound) {
		return nil, err
	}
	given := r.Answers
	r.Answers = draft.Given()
	if r.Answer(id) != nil {
		p := api.Problemf(api.AlreadyAnswered,
			"The question %q is answered already; the answer is kept until the rest of the set has one.", id)
		first := slices.DeleteFunc(rec.Set.Asked(r), func(x question.Response) bool { return x.ID != id })
		p.First = &api.First{Status: desk.Answered, Surface: surfaceName, At: at, Answers: api.ByKey(first)}
		return nil, p
	}
	r.Answers = append(r.Answers, given...)

	_, err = rec.Check(*r)
	var faults question.Violations
	found, _ := errors.AsType[question.Violations](err)
	for _, v := range found {
		other, ofAnswer := strings.CutPrefix(v.Path, "answers.")
		if ofAnswer && other != id {
			open = append(open, other) // kept answers are valid: the fault is a missing answer
		} else {
			faults = append(faults, v)
		}
	}
	if len(faults) == 0 && len(open) > 0 && r.Note != "" {
		faults.Add("note", "goes with the answer that completes the set; still open: %s", strings.Join(open, ", "))
	}
	if len(faults) > 0 || len(open) == 0 {
		return nil, faults.Err()
	}
	by := question.ByProgram
	if senderOf(ctx).how == desk.HowFrontEnd {
		by = question.ByFrontEnd
	}
	return open, api.Late(&rec.Set, s.Desk.KeepAnswers(ctx, rec.ID, given, by))
}
