package web

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// surfaceName is the surface's word in records.
const surfaceName = "web"

// maxWait is how long a request may wait for a question to end.
const maxWait = 10 * time.Minute

//go:embed openapi.json
var openapi []byte

// route is one path of the API, with a handler for each method.
type route struct {
	path    string
	methods map[string]http.HandlerFunc
}

func (s *Server) api() []route {
	get, post := http.MethodGet, http.MethodPost
	return []route{
		{"/api/questions", map[string]http.HandlerFunc{get: s.listQuestions, post: s.ask}},
		{"/api/questions/{id}", map[string]http.HandlerFunc{get: s.getQuestion}},
		{"/api/questions/{id}/dismiss", map[string]http.HandlerFunc{post: s.dismiss}},
		{"/api/questions/{id}/cancel", map[string]http.HandlerFunc{post: s.withdraw}},
		{"/api/task/answer", map[string]http.HandlerFunc{post: s.answer}},
		{"/api/sessions/{session_id}", map[string]http.HandlerFunc{get: s.getSession}},
		{"/api/sessions/{session_id}/lift", map[string]http.HandlerFunc{post: s.lift}},
		{"/api/events", map[string]http.HandlerFunc{get: s.events}},
		{"/api/openapi.json", map[string]http.HandlerFunc{get: s.describe}},
	}
}

func (s *Server) routesAPI(mux *http.ServeMux) {
	for _, rt := range s.api() {
		mux.HandleFunc(rt.path, rt.serve)
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, problemf(http.StatusNotFound, codeNoRoute, "The API has no such path; GET /api/openapi.json lists them."))
	})
}

// serve picks the handler of the request's method. The mux could do so too,
// but answers a wrong method in words of its own.
func (rt route) serve(w http.ResponseWriter, r *http.Request) {
	if h := rt.methods[r.Method]; h != nil {
		h(w, r)
		return
	}
	var allowed []string
	for m := range rt.methods {
		allowed = append(allowed, m)
	}
	slices.Sort(allowed)
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	refuse(w, r, problemf(http.StatusMethodNotAllowed, codeMethod, "This path takes %s.", strings.Join(allowed, " or ")))
}

// entry is a record as the API shows it.
type entry struct {
	desk.Record
	Content *struct{} `json:"content,omitempty"` // hides the store's own business
	// Answers are keyed by question text, in words (C2); once answered.
	Answers map[string]string `json:"answers,omitempty"`
}

func entryOf(rec desk.Record) entry {
	e := entry{Record: rec}
	if rec.State != desk.Answered {
		return e
	}
	e.Answers = map[string]string{}
	for _, a := range rec.Outcome.Reply.Answers {
		if q := rec.Find(a.QuestionID); q != nil {
			e.Answers[q.Text] = strings.Join(q.Words(&a), ", ")
		}
	}
	return e
}

// openRecords returns the records that are still open, oldest first.
func (s *Server) openRecords(ctx context.Context) ([]desk.Record, error) { return s.desk.Pending(ctx) }

func (s *Server) listQuestions(w http.ResponseWriter, r *http.Request) {
	records, err := s.openRecords(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	list := make([]entry, len(records))
	for i, rec := range records {
		list[i] = entryOf(rec)
	}
	write(w, http.StatusOK, list)
}

// getQuestion shows one record. With wait, which a record asked over HTTP
// takes for its asker coming back, it waits for the end.
func (s *Server) getQuestion(w http.ResponseWriter, r *http.Request) {
	wait, err := waitOf(r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	rec, err := s.desk.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		s.fail(w, r, err)
		return
	}
	var attendance *desk.Attendance
	if wait > 0 && rec.Asker.Via == viaHTTP {
		attendance, err = s.desk.Attend(r.Context(), rec.ID)
		if err != nil && !errors.Is(err, desk.ErrAttended) { // another waits: look on
			s.fail(w, r, err)
			return
		}
	}
	s.deliver(w, r, rec, attendance, wait)
}

func (s *Server) describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openapi)
}

// waitOf reads the parameter wait: whole seconds, at most maxWait.
func waitOf(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("wait")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if most := int(maxWait.Seconds()); err != nil || n < 0 || n > most {
		return 0, problemf(http.StatusBadRequest, codeRequest, "wait is %q; it takes whole seconds, 0 to %d.", text, most)
	}
	return time.Duration(n) * time.Second, nil
}

// readBody decodes the body of a request. An empty one leaves v as it is.
func readBody(r *http.Request, code string, v any) error {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return unread(err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	if err := json.Unmarshal(data, v); err != nil {
		return problemf(http.StatusBadRequest, code, "The body is not the JSON object that this path takes: %v.", err)
	}
	return nil
}

// unread is the problem of a body that did not come.
func unread(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return err
	}
	return problemf(http.StatusRequestTimeout, codeRequest, "The request did not arrive whole.")
}

// reply commits what the human did. The error says so to a client as it is,
// and wraps the desk's: a question.Violations says what must change, a
// *desk.ClosedError who was first, desk.ErrNotFound that there is no such
// question.
func (s *Server) reply(ctx context.Context, id string, r question.Reply) error {
	rec, err := s.desk.Reply(ctx, id, r, surfaceName)
	return lateOn(rec, err)
}

// done is the response to what succeeded (D11).
type done struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

func succeed(w http.ResponseWriter, message string) {
	write(w, http.StatusOK, done{true, message})
}

func (s *Server) dismiss(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Reason string `json:"reason"`
	}
	err := readBody(r, codeRequest, &body)
	if err == nil {
		err = s.reply(r.Context(), r.PathValue("id"), question.Reply{Dismissed: true, Reason: body.Reason})
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	succeed(w, "The question is dismissed; the agent goes on without an answer.")
}

// withdraw ends a question in the name of its asker.
func (s *Server) withdraw(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Reason string `json:"reason"`
	}
	err := readBody(r, codeRequest, &body)
	if n := question.Count(body.Reason); err == nil && n > question.MaxText {
		err = problemf(http.StatusBadRequest, codeRequest, "reason must be at most %d characters long, is %d", question.MaxText, n)
	}
	if err == nil {
		var rec desk.Record
		rec, err = s.desk.Close(r.Context(), r.PathValue("id"), desk.Outcome{Status: desk.Cancelled, Reason: body.Reason})
		err = lateOn(rec, err)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	succeed(w, "The question is withdrawn.")
}
