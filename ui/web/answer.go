package web

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

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

	Note    string            `json:"note"`    // on the whole
	Notes   map[string]string `json:"notes"`   // beside answers, by question_id
	Discuss bool              `json:"discuss"` // the answers are those so far
	Took    int64             `json:"took_ms"` // how long the human had the questions in front of them; 0 is unknown
}

// answerShape is the hint for a body that is not valid.
const answerShape = `Send {"session_id", "question_id", "answer"} for one question, {"id", "answers"} for a whole set, or {"id", "discuss": true, "note"} to discuss it first.`

func (s *Server) answer(w http.ResponseWriter, r *http.Request) error {
	var body answerBody
	if err := readBody(r, api.InvalidAnswer, &body); err != nil {
		return err
	}
	rec, err := s.target(r.Context(), body)
	if err != nil {
		return err
	}
	if rec.Outcome != nil {
		return api.Late(&rec.Set, &desk.ClosedError{ID: rec.ID, Outcome: *rec.Outcome})
	}
	answers, whole, err := body.read(&rec)
	if err != nil {
		return err
	}
	var open []string
	var waited bool
	if whole {
		var answered desk.Record
		answered, err = s.reply(r.Context(), rec.ID, body.reply(answers))
		waited = answered.Attended
	} else {
		open, waited, err = s.answerOne(r.Context(), &rec, body.QuestionID, body.reply(answers))
	}
	switch {
	case err != nil:
		return err
	case len(open) > 0:
		return writeDone(w, "The answer is kept; "+words.English.N(len(open), "%d question of the set is", "%d questions of the set are")+
			" still open: "+strings.Join(open, ", ")+".")
	case body.Discuss:
		return writeDone(w, "The question is put back to be discussed first; "+next(words.English.Client(rec.Asker), "with that", "hears of it", waited)+".")
	}
	return writeDone(w, "The answer is recorded; "+next(words.English.Client(rec.Asker), "", "gets it", waited)+".")
}

// target returns the record that a body names.
func (s *Server) target(ctx context.Context, body answerBody) (desk.Record, error) {
	switch {
	case body.ID != "":
		rec, err := s.Desk.Get(ctx, body.ID)
		if err != nil || body.SessionID == nil || *body.SessionID == rec.SessionID {
			return rec, err
		}
		if _, err := s.session(ctx, *body.SessionID); err != nil {
			return desk.Record{}, err
		}
		return desk.Record{}, api.Problemf(api.QuestionNotFound, "The session has no question %s; it belongs to another.", rec.ID)
	case body.SessionID == nil || body.QuestionID == "":
		return desk.Record{}, api.Problemf(api.InvalidAnswer, "%s", answerShape)
	}
	records, err := s.session(ctx, *body.SessionID)
	if err != nil {
		return desk.Record{}, err
	}
	return recordWith(records, body.QuestionID)
}

// recordWith returns the record with this question: the oldest open one, else the
// latest that has ended.
func recordWith(records []desk.Record, questionID string) (desk.Record, error) {
	records = slices.DeleteFunc(records, func(rec desk.Record) bool { return rec.Find(questionID) == nil })
	if len(records) == 0 {
		return desk.Record{}, api.Problemf(api.QuestionNotFound, "The session has no question with the question_id %q.", questionID)
	}
	if open := slices.IndexFunc(records, func(rec desk.Record) bool { return rec.Outcome == nil }); open >= 0 {
		return records[open], nil
	}
	return records[len(records)-1], nil
}

// read returns the answers in a body to the questions of rec, and whether they
// are to a whole set.
func (body answerBody) read(rec *desk.Record) (answers []question.Answer, whole bool, err error) {
	given := func(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
	if err := body.check(rec); err != nil {
		return nil, false, err
	}
	switch {
	case given(body.Answers) && (given(body.Answer) || body.QuestionID != ""):
		return nil, false, api.Problemf(api.InvalidAnswer, "Both answer and answers are there. %s", answerShape)
	case body.Discuss && body.QuestionID == "" && !given(body.Answers):
		return nil, true, nil
	case given(body.Answers):
		answers, err = rec.ParseAnswers(body.Answers)
		return answers, true, err
	case body.QuestionID == "" || !given(body.Answer):
		return nil, false, api.Problemf(api.InvalidAnswer, "There is no answer. %s", answerShape)
	case rec.Find(body.QuestionID) == nil:
		return nil, false, api.Problemf(api.QuestionNotFound, "The set has no question with the question_id %q.", body.QuestionID)
	}
	one, err := json.Marshal([]map[string]any{{"question_id": body.QuestionID, "answer": body.Answer}})
	if err != nil {
		return nil, false, err
	}
	answers, err = rec.ParseAnswers(one)
	return answers, false, err
}

// check refuses notes without a question, a time out of range and a discussion of one
// question.
func (body answerBody) check(rec *desk.Record) error {
	for id := range body.Notes {
		if rec.Find(id) == nil {
			return question.Violations{{Path: "notes." + id, Message: "no question has this question_id"}}
		}
	}
	switch {
	case body.Took < 0 || body.Took > maxTook.Milliseconds():
		return api.Problemf(api.InvalidAnswer, "took_ms is %d; it takes 0 to %d.", body.Took, maxTook.Milliseconds())
	case body.Discuss && body.QuestionID != "":
		return api.Problemf(api.InvalidAnswer, "A whole set is discussed first, not one question of it. %s", answerShape)
	}
	return nil
}

// maxTook is the longest time that a human may take for an answer.
const maxTook = 366 * 24 * time.Hour

// reply returns the reply in a body, with these answers.
func (body answerBody) reply(answers []question.Answer) question.Reply {
	r := question.Reply{Answers: answers, Note: body.Note, Discuss: body.Discuss, Took: time.Duration(body.Took) * time.Millisecond}
	for _, id := range slices.Sorted(maps.Keys(body.Notes)) {
		r.Put(id, func(a *question.Answer) { a.Note = body.Notes[id] })
	}
	return r
}
