package web

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// surfaceName is the name of the surface in records.
const surfaceName = "web"

// maxWait is how long a request may wait for a question to end.
const maxWait = 10 * time.Minute

//go:embed openapi.json
var openapi []byte

func (s *Server) listQuestions(w http.ResponseWriter, r *http.Request) error {
	records, err := s.Desk.Pending(r.Context())
	if err == nil && len(records) == 0 {
		err = s.Desk.Away()
	}
	if err == nil {
		write(w, http.StatusOK, api.NewRecords(records))
	}
	return err
}

// getQuestion returns one record. With the parameter wait it returns when the record has
// ended; for a record that was asked over HTTP, the request comes from its asker.
func (s *Server) getQuestion(w http.ResponseWriter, r *http.Request) error {
	wait, err := waitOf(r)
	if err != nil {
		return err
	}
	rec, err := s.Desk.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	if wait == 0 || r.Method == http.MethodHead { // which is sent nothing, and collects nothing
		write(w, http.StatusOK, api.NewRecord(rec))
		return nil
	}
	join, asker := s.Presenter.Show, rec.Asker.Via == viaHTTP
	if asker {
		join = s.Presenter.Join
	}
	place, err := join(r.Context(), rec.ID, noSurfaces)
	if err != nil {
		return err
	}
	return s.deliver(w, r, place, nil, asker, wait)
}

func (s *Server) getDescription(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openapi)
	return nil
}

// waitOf reads the parameter wait: whole seconds, at most maxWait.
func waitOf(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("wait")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	most := int(maxWait.Seconds())
	if err != nil || n < 0 || n > most {
		return 0, api.Problemf(api.InvalidRequest, "wait is %q; it takes whole seconds, 0 to %d.", text, most)
	}
	return time.Duration(n) * time.Second, nil
}

// readBody decodes the body of a request; an empty one leaves v as it is. A body that is
// not such JSON is a problem with this code.
func readBody(r *http.Request, code string, v any) error {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return unreadBody(err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	return badBody(code, json.Unmarshal(data, v))
}

// badBody is the problem of a body that cannot be decoded; nil without an error.
func badBody(code string, err error) error {
	if err == nil {
		return nil
	}
	why := err.Error()
	odd, _ := errors.AsType[*json.UnmarshalTypeError](err)
	if odd != nil { // its own words name types of Go
		why = fmt.Sprintf("%s has the wrong type (%s)", cmp.Or(odd.Field, "it"), odd.Value)
	}
	return api.Problemf(code, "The body is not the JSON object that this path takes: %s.", why)
}

// unreadBody is the problem of a body that did not arrive.
func unreadBody(err error) error {
	if problemOf(err) != nil { // too large
		return err
	}
	return errNotWhole
}

// reply commits a reply in the name of the sender of a request, and returns the record
// after it. The error can be shown to a client, and wraps the desk's: question.Violations,
// *desk.ClosedError, desk.ErrNotFound.
func (s *Server) reply(ctx context.Context, id string, r question.Reply) (desk.Record, error) {
	rec, err := s.Desk.Reply(ctx, id, r, s.evidence(ctx, &r))
	return rec, api.Late(&rec.Set, err)
}

// writeDone responds to a program that its request was carried out.
func writeDone(w http.ResponseWriter, message string) error {
	write(w, http.StatusOK, api.Done{Success: true, Message: message})
	return nil
}

func (s *Server) dismiss(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Reason string `json:"reason"`
	}
	err := readBody(r, api.InvalidRequest, &body)
	if err != nil {
		return err
	}
	_, err = s.reply(r.Context(), r.PathValue("id"), question.Reply{Dismissed: true, Reason: body.Reason})
	if err != nil {
		return err
	}
	return writeDone(w, "The question is dismissed.")
}
