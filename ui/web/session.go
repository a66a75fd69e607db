package web

import (
	"context"
	"errors"
	"net/http"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// dialog is the state of a session (D11).
type dialog struct {
	SessionID    string   `json:"session_id"`
	CurrentRound int      `json:"current_round"`  // of the oldest record that is open, else the last
	TotalRounds  int      `json:"total_rounds"`   // asked so far
	History      []turn   `json:"dialog_history"` // what has ended, oldest first
	Pending      []string `json:"pending"`        // the ids of the records that are open, oldest first
}

// turn is one question that was shown, follow-ups included.
type turn struct {
	Round      int           `json:"round"`
	ID         string        `json:"id"` // of the record
	QuestionID string        `json:"question_id"`
	Question   string        `json:"question"`
	Type       question.Type `json:"type"`
	Options    []string      `json:"options,omitempty"` // labels: what there was to choose from (D8)
	Status     desk.Status   `json:"status"`
	Answer     any           `json:"answer"` // a string, a list of strings, true or false; null if left open
	By         question.By   `json:"by,omitempty"`
	Reason     string        `json:"reason,omitempty"`
	Surface    string        `json:"surface,omitempty"`
	AskedAt    time.Time     `json:"asked_at"`
	EndedAt    time.Time     `json:"ended_at"`
}

// session returns the records of a session, oldest first. A session without
// records does not exist.
func (s *Server) session(ctx context.Context, id string) ([]desk.Record, error) {
	records, err := s.desk.Session(ctx, id)
	if errors.Is(err, desk.ErrNotFound) || err == nil && len(records) == 0 {
		return nil, problemf(http.StatusNotFound, codeSession, "There is no session %q, or nothing was asked in it.", id)
	}
	return records, err
}

func (s *Server) getSession(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("session_id")
	records, err := s.session(r.Context(), id)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	d := dialog{SessionID: id, History: []turn{}, Pending: []string{}}
	for _, rec := range records {
		d.TotalRounds = max(d.TotalRounds, rec.Round)
		if rec.Outcome != nil {
			d.History = append(d.History, turns(&rec)...)
			continue
		}
		d.Pending = append(d.Pending, rec.ID)
		if len(d.Pending) == 1 {
			d.CurrentRound = rec.Round
		}
	}
	if len(d.Pending) == 0 {
		d.CurrentRound = d.TotalRounds
	}
	write(w, http.StatusOK, d)
}

// turns returns the questions of a record that has ended.
func turns(rec *desk.Record) []turn {
	o := rec.Outcome
	base := turn{
		Round: rec.Round, ID: rec.ID, Status: rec.State, Reason: o.Reason,
		Surface: o.Surface, AskedAt: rec.CreatedAt, EndedAt: o.At,
	}
	var reply question.Reply
	if o.Reply != nil {
		reply = *o.Reply
		base.Reason = reply.Reason
	}
	var out []turn
	for _, q := range rec.Shown(reply.Answers) {
		t := base
		t.QuestionID, t.Question, t.Type = q.ID, q.Text, q.Type
		for _, o := range q.Options {
			t.Options = append(t.Options, o.Label)
		}
		if a := reply.Answer(q.ID); a != nil {
			t.Answer, t.By = said(q.Question, a), a.By
		}
		out = append(out, t)
	}
	return out
}

// said is an answer in the form its question has (E6).
func said(q *question.Question, a *question.Answer) any {
	words := q.Words(a)
	switch {
	case q.Type == question.Boolean && len(a.Selected) > 0:
		return a.Selected[0] == question.YesID
	case q.Several():
		return words
	case len(words) == 0:
		return nil
	}
	return words[0]
}

// lift takes the round limit off a session: its user lets the agent go on
// asking (D9).
func (s *Server) lift(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("session_id")
	_, err := s.session(r.Context(), id)
	if err == nil {
		err = s.desk.Lift(r.Context(), id)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	succeed(w, "The round limit is lifted for this session.")
}
