package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/api"
	"mcp-askuser/ui/present"
)

// askBody are the members beside the call form.
type askBody struct {
	SessionID string `json:"session_id"`
	AgentID   string `json:"agent_id"`
	Directory string `json:"directory"`
}

// viaHTTP is the transport of these askers in records.
const viaHTTP = "http"

// ask takes a question from a program without MCP, in any call form. With the parameter
// wait it responds when the question has ended.
func (s *Server) ask(w http.ResponseWriter, r *http.Request) error {
	wait, err := waitOf(r)
	if err != nil {
		return err
	}
	place, dropped, err := s.submit(r)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/questions/"+place.Record().ID)
	return s.deliver(w, r, place, dropped, true, wait)
}

// deliver responds with a record when it has ended, at latest after wait, and marks it as
// delivered to its asker. Dropped is what of the call was not asked.
func (s *Server) deliver(
	w http.ResponseWriter, r *http.Request, place *present.Waiter, dropped []string, asker bool, wait time.Duration,
) error {
	defer place.Leave()
	connection := http.NewResponseController(w)
	if wait > 0 {
		_ = connection.SetReadDeadline(time.Time{}) // further reading only detects that the client disconnects
		_ = connection.SetWriteDeadline(time.Now().Add(wait + s.timeouts.response))
	}
	select {
	case <-place.Ended():
	case <-r.Context().Done():
		return r.Context().Err()
	case <-time.After(wait):
	}
	rec, ended, status := place.Record(), place.HasEnded(), http.StatusOK
	if ended {
		var err error
		rec, err = place.Result()
		if err != nil {
			return err
		}
	} else if r.Method == http.MethodPost {
		status = http.StatusCreated
	}
	out := api.NewRecord(rec)
	out.Dropped = dropped
	write(w, status, out)
	if ended && asker && connection.Flush() == nil {
		place.Delivered()
	}
	return nil
}

// submit asks the question of a request. Dropped is what of it cannot be asked.
func (s *Server) submit(r *http.Request) (place *present.Waiter, dropped []string, err error) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, nil, unreadBody(err)
	}
	request, dropped, err := s.Decode(data)
	var found question.Violations
	switch {
	case errors.As(err, &found):
		return nil, nil, api.Invalid(api.InvalidQuestion, found)
	case err != nil:
		return nil, nil, api.Problemf(api.InvalidQuestion, "The body is not valid JSON: %v.", err)
	}
	if len(request.Set.Asked(nil)) == 0 {
		return nil, nil, api.Problemf(api.InvalidQuestion,
			"Every question brings its answer along; there is nothing to ask.")
	}
	body := askBody{AgentID: "http client", Directory: s.Directory}
	odd, _ := errors.AsType[*json.UnmarshalTypeError](json.Unmarshal(data, &body))
	if odd != nil && odd.Field != "" { // a bare array says nothing beside its questions
		return nil, nil, badBody(api.InvalidQuestion, odd)
	}
	err = s.checkNewIDs(r.Context(), body.SessionID, request.Set)
	if err != nil {
		return nil, nil, err
	}
	request.Session = body.SessionID
	request.Asker = desk.Asker{Client: body.AgentID, Directory: body.Directory, Via: viaHTTP}
	place, err = s.Presenter.Ask(r.Context(), present.Question{Request: request, Surfaces: noSurfaces})
	return place, dropped, err
}

// noSurfaces shows a question on no surface of its own: the inbox and the page list it.
func noSurfaces(*present.Presentation) []ui.Surface { return []ui.Surface{ui.Elsewhere()} }

// checkNewIDs refuses a question id that the caller used before in the session: an
// answer names its question by it. The same questions may be asked again: the desk returns
// their answer. An id that may be derived from a question's place, such as q1, does not count.
func (s *Server) checkNewIDs(ctx context.Context, session string, set question.Set) error {
	if session == "" {
		return nil
	}
	records, err := s.Desk.Session(ctx, session)
	if err != nil && !errors.Is(err, desk.ErrNotFound) {
		return err
	}
	for _, rec := range records {
		if rec.Set.Fingerprint() == set.Fingerprint() {
			continue
		}
		for _, q := range set.All() {
			derived := len(q.ID) > 1 && q.ID[0] == 'q' && q.ID[1] >= '0' && q.ID[1] <= '9'
			if !derived && rec.Find(q.ID) != nil {
				return api.Problemf(api.DuplicateID, "question_id %q is used in round %d of this session already; "+
					"give each question of a session an id of its own.", q.ID, rec.Round)
			}
		}
	}
	return nil
}
