package web

import (
	"context"
	"encoding/json"
	"net/http"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// answerBody is the body of POST /api/task/answer: the answer to one question
// of a session (D11), or the answers to a whole set by the record's id.
type answerBody struct {
	SessionID  *string         `json:"session_id"`
	QuestionID string          `json:"question_id"`
	Answer     json.RawMessage `json:"answer"`

	ID      string          `json:"id"`
	Answers json.RawMessage `json:"answers"`
	Note    string          `json:"note"`
}

// answerShape says what the body of an answer is (D12: an invalid answer is
// told what is expected).
const answerShape = `Send {"session_id", "question_id", "answer"} for one question, or {"id", "answers"} for a whole set.`

func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	var body answerBody
	rec, err := desk.Record{}, readBody(r, codeAnswer, &body)
	if err == nil {
		rec, err = s.answered(r.Context(), body)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	succeed(w, "The answer is recorded; "+rec.Asker.Client+" goes on.")
}

// answered finds the record that a body is about, and commits its answers.
func (s *Server) answered(ctx context.Context, body answerBody) (desk.Record, error) {
	rec, err := s.target(ctx, body)
	if err != nil {
		return rec, err
	}
	if rec.Outcome != nil {
		return rec, lateOn(rec, &desk.ClosedError{ID: rec.ID, Outcome: *rec.Outcome})
	}
	answers, err := body.read(&rec)
	if err != nil {
		return rec, err
	}
	return rec, s.reply(ctx, rec.ID, question.Reply{Answers: answers, Note: body.Note})
}

// target finds the record that a body is about.
func (s *Server) target(ctx context.Context, body answerBody) (desk.Record, error) {
	switch {
	case body.ID != "":
		rec, err := s.desk.Get(ctx, body.ID)
		if err != nil || body.SessionID == nil || *body.SessionID == rec.SessionID {
			return rec, err
		}
		if _, err := s.session(ctx, *body.SessionID); err != nil {
			return desk.Record{}, err
		}
		return desk.Record{}, problemf(http.StatusNotFound, codeQuestion, "The session has no question %s; it belongs to another.", rec.ID)
	case body.SessionID == nil || body.QuestionID == "":
		return desk.Record{}, problemf(http.StatusBadRequest, codeAnswer, "%s", answerShape)
	}
	records, err := s.session(ctx, *body.SessionID)
	if err != nil {
		return desk.Record{}, err
	}
	return holder(records, body.QuestionID)
}

// holder returns the record with this question: the oldest that is open (D7),
// else the latest that has ended.
func holder(records []desk.Record, questionID string) (desk.Record, error) {
	var found *desk.Record
	for i := range records {
		rec := &records[i]
		switch {
		case rec.Find(questionID) == nil:
		case rec.Outcome == nil:
			return *rec, nil
		default:
			found = rec
		}
	}
	if found == nil {
		return desk.Record{}, problemf(http.StatusNotFound, codeQuestion, "The session has no question with the question_id %q.", questionID)
	}
	return *found, nil
}

// read returns the answers in a body to the questions of rec.
func (body answerBody) read(rec *desk.Record) ([]question.Answer, error) {
	given := func(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
	switch {
	case given(body.Answers) && (given(body.Answer) || body.QuestionID != ""):
		return nil, problemf(http.StatusBadRequest, codeAnswer, "Both answer and answers are there. %s", answerShape)
	case given(body.Answers):
		return rec.ParseAnswers(body.Answers)
	case body.QuestionID == "" || !given(body.Answer):
		return nil, problemf(http.StatusBadRequest, codeAnswer, "There is no answer. %s", answerShape)
	case rec.Find(body.QuestionID) == nil:
		return nil, problemf(http.StatusNotFound, codeQuestion, "The set has no question with the question_id %q.", body.QuestionID)
	}
	one, err := json.Marshal([]map[string]any{{"question_id": body.QuestionID, "answer": body.Answer}})
	if err != nil {
		return nil, err
	}
	return rec.ParseAnswers(one)
}
