package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// dialog is the state of a session.
type dialog struct {
	SessionID    string         `json:"session_id"`
	CurrentRound int            `json:"current_round"`  // of the oldest record that is open, else the last
	TotalRounds  int            `json:"total_rounds"`   // asked so far, or as many as the asker says there will be
	History      []pastQuestion `json:"dialog_history"` // what has ended, oldest first
	Pending      []string       `json:"pending"`        // the ids of the records that are open, oldest first
}

// pastQuestion is one question that was shown, follow-ups included.
type pastQuestion struct {
	Round      int             `json:"round"`
	ID         string          `json:"id"` // of the record
	QuestionID string          `json:"question_id"`
	Question   string          `json:"question"`
	Type       question.Type   `json:"type"`
	Options    []string        `json:"options,omitempty"` // their labels
	Status     desk.Status     `json:"status"`
	Answer     any             `json:"answer"` // a string, a list of strings, true or false; null if left open
	By         question.By     `json:"by,omitempty"`
	Note       string          `json:"note,omitempty"`
	Files      []question.File `json:"files,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	Surface    string          `json:"surface,omitempty"`
	AskedAt    time.Time       `json:"asked_at"`
	EndedAt    time.Time       `json:"ended_at"`
}

// session returns the records of a session, oldest first. A session without
// records does not exist.
func (s *Server) session(ctx context.Context, id string) ([]desk.Record, error) {
	records, err := s.Desk.Session(ctx, id)
	if errors.Is(err, desk.ErrNotFound) || err == nil && len(records) == 0 {
		return nil, api.Problemf(api.SessionNotFound, "There is no session %q, or nothing was asked in it.", id)
	}
	return records, err
}

func (s *Server) getSession(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("session_id")
	records, err := s.session(r.Context(), id)
	if err != nil {
		return err
	}
	last := 0
	d := dialog{SessionID: id, History: []pastQuestion{}, Pending: []string{}}
	for _, rec := range records {
		last = max(last, rec.Round)
		d.TotalRounds = max(d.TotalRounds, rec.Round, rec.Rounds)
		if rec.Outcome != nil {
			d.History = append(d.History, pastQuestions(&rec)...)
			continue
		}
		d.Pending = append(d.Pending, rec.ID)
		d.CurrentRound = cmp.Or(d.CurrentRound, rec.Round)
	}
	d.CurrentRound = cmp.Or(d.CurrentRound, last)
	write(w, http.StatusOK, d)
	return nil
}

// pastQuestions returns the questions of a record that has ended.
func pastQuestions(rec *desk.Record) []pastQuestion {
	o := rec.Outcome
	reason := o.Reason
	if o.Reply != nil {
		reason = o.Reply.Reason
	}
	var out []pastQuestion
	for _, x := range rec.Asked() {
		q := pastQuestion{
			Round: rec.Round, ID: rec.ID, QuestionID: x.ID, Question: x.Question.Text, Type: x.Type, Status: rec.State,
			Answer: x.Value(), By: x.By(), Note: x.Note, Reason: reason, Surface: o.Surface,
			AskedAt: rec.CreatedAt, EndedAt: o.At,
		}
		if x.Answer != nil {
			q.Files = x.Answer.Files
		}
		for _, o := range x.Options {
			q.Options = append(q.Options, o.Label)
		}
		out = append(out, q)
	}
	return out
}
