package web

import (
	"context"
	"encoding/json"
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
	reply, err := body.reply(&rec)
	if err != nil {
		return err
	}
	var open []string
	var waited bool
	if body.QuestionID != "" {
		open, waited, err = s.answerOne(r.Context(), &rec, body.QuestionID, reply)
	} else {
		var answered desk.Record
		answered, err = s.reply(r.Context(), rec.ID, reply)
		waited = answered.Attended
	}
	client := words.English.Client(rec.Asker)
	switch {
	case err != nil:
		return err
	case len(open) > 0:
		return writeDone(w, "The answer is kept; "+words.English.N(len(open), "%d question of the set is", "%d questions of the set are")+
			" still open: "+strings.Join(open, ", ")+".")
	case body.Discuss:
		return writeDone(w, "The question is put back to be discussed first; "+next(client, "with that", "hears of it", waited)+".")
	case rec.Asker.Mirrored():
		return writeDone(w, "The answer is recorded; "+client+
			" shows the question in its own dialog too, and takes the answer that it gets first.")
	}
	return writeDone(w, "The answer is recorded; "+next(client, "", "gets it", waited)+".")
}

// target returns the record that a body names. Of the records of a session that have the
// question it is the oldest that is open, else the latest.
func (s *Server) target(ctx context.Context, body answerBody) (rec desk.Record, err error) {
	if body.ID != "" {
		rec, err = s.Desk.Get(ctx, body.ID)
		if err != nil || body.SessionID == nil || *body.SessionID == rec.SessionID {
			return rec, err
		}
	}
	if body.SessionID == nil || body.ID == "" && body.QuestionID == "" {
		return rec, api.Problemf(api.InvalidAnswer, "%s", answerShape)
	}
	records, err := s.session(ctx, *body.SessionID)
	if err != nil {
		return rec, err
	}
	if body.ID != "" {
		return rec, api.Problemf(api.QuestionNotFound, "The session has no question %s; it belongs to another.", rec.ID)
	}
	records = slices.DeleteFunc(records, func(rec desk.Record) bool { return rec.Find(body.QuestionID) == nil })
	if len(records) == 0 {
		return rec, api.Problemf(api.QuestionNotFound, "The session has no question with the question_id %q.", body.QuestionID)
	}
	if open := slices.IndexFunc(records, func(rec desk.Record) bool { return rec.Outcome == nil }); open >= 0 {
		return records[open], nil
	}
	return records[len(records)-1], nil
}

// reply returns the reply in a body to the questions of rec, or to the one that it names.
func (body answerBody) reply(rec *desk.Record) (question.Reply, error) {
	var r question.Reply
	one, has := body.QuestionID != "", func(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
	switch {
	case body.Discuss && one:
		return r, api.Problemf(api.InvalidAnswer, "A whole set is discussed first, not one question of it. %s", answerShape)
	case has(body.Answers) && (has(body.Answer) || one):
		return r, api.Problemf(api.InvalidAnswer, "Both answer and answers are there. %s", answerShape)
	case one && !has(body.Answer) && !has(body.Files), !one && !has(body.Answers) && !has(body.Files) && !body.Discuss:
		return r, api.Problemf(api.InvalidAnswer, "There is no answer. %s", answerShape)
	case one && rec.Find(body.QuestionID) == nil:
		return r, api.Problemf(api.QuestionNotFound, "The set has no question with the question_id %q.", body.QuestionID)
	}
	var err error
	if one && has(body.Answer) {
		if body.Answers, err = json.Marshal([]map[string]any{{"question_id": body.QuestionID, "answer": body.Answer}}); err != nil {
			return r, err
		}
	}
	members := map[string]json.RawMessage{"answers": body.Answers, "notes": body.Notes, "files": body.Files}
	r, err = rec.ParseExactReply(members)
	r.Note, r.Discuss = body.Note, body.Discuss
	return r, err
}
