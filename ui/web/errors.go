package web

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// The machine codes of errors (D12).
const (
	codeSession    = "session_not_found"
	codeQuestion   = "question_not_found"
	codeAnswer     = "invalid_answer"
	codeAsk        = "invalid_question"
	codeDuplicate  = "duplicate_question_id"
	codeAnswered   = "already_answered"
	codeClosed     = "already_closed"
	codeRounds     = "recursive_limit_exceeded"
	codeRequest    = "invalid_request"
	codeToken      = "unauthorized"
	codeForbidden  = "forbidden"
	codeNoRoute    = "not_found"
	codeMethod     = "method_not_allowed"
	codeTooLarge   = "payload_too_large"
	codeBusy       = "too_many_streams"
	codeUnsupplied = "not_supported"
	codeInternal   = "internal_error"
)

// problem is an error as a client sees it.
type problem struct {
	status     int
	Code       string              `json:"code"`
	Message    string              `json:"message"`
	Violations question.Violations `json:"violations,omitempty"`
	First      *first              `json:"first,omitempty"`
	cause      error
}

// first is what a late answerer sees of the one who was first (D19).
type first struct {
	Status  desk.Status       `json:"status"`
	Surface string            `json:"surface,omitempty"`
	At      time.Time         `json:"at"`
	Answers map[string]string `json:"answers,omitempty"` // by question-N
	Reason  string            `json:"reason,omitempty"`
}

func (p *problem) Error() string { return p.Message }
func (p *problem) Unwrap() error { return p.cause }

func problemf(status int, code, format string, args ...any) *problem {
	return &problem{status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// How the guard refuses. Each says what to do about it.
var (
	errHost   = problemf(http.StatusForbidden, codeForbidden, "This server does not go by that name. Use the address that it printed.")
	errOrigin = problemf(http.StatusForbidden, codeForbidden, "Requests from pages of other sites are refused.")
	errToken  = problemf(http.StatusUnauthorized, codeToken, "The token is missing or no longer good. Open the address that mcp-askuser printed when it started; programs send it as Authorization: Bearer TOKEN.")
	errForm   = problemf(http.StatusForbidden, codeForbidden, "This form is from another session. Reload the page and send it again; programs send the header X-CSRF-Token, or the bearer token.")
)

// invalid turns the violations of an input into a problem. What is expected
// stands in the violations, and in the message for people.
func invalid(code string, violations question.Violations) *problem {
	parts := make([]string, len(violations))
	for i, v := range violations {
		parts[i] = v.String()
	}
	p := problemf(http.StatusBadRequest, code, "%s", strings.Join(parts, "; "))
	p.Violations = violations
	return p
}

// lateOn tells a late answerer who was first and what they said, if err is of
// that kind; rec has the outcome.
func lateOn(rec desk.Record, err error) error {
	var closed *desk.ClosedError
	if !errors.As(err, &closed) {
		return err
	}
	o := closed.Outcome
	p := problemf(http.StatusBadRequest, codeClosed, "%s", closed)
	if o.Status == desk.Answered {
		p.Code = codeAnswered
	}
	p.cause = closed
	p.First = &first{Status: o.Status, Surface: o.Surface, At: o.At, Reason: o.Reason}
	if o.Reply != nil {
		p.First.Answers = indexed(&rec, o.Reply)
		p.First.Reason = o.Reply.Reason
	}
	return p
}

// problemOf says how a client sees an error of the desk.
func problemOf(err error) *problem {
	var p *problem
	var violations question.Violations
	var rounds *desk.RoundLimitError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &violations):
		return invalid(codeAnswer, violations)
	case errors.Is(err, desk.ErrNotFound):
		return problemf(http.StatusNotFound, codeQuestion, "There is no question with this id.")
	case errors.As(err, &rounds):
		return problemf(http.StatusTooManyRequests, codeRounds, "The session has asked %d rounds in a row. Finish what was answered; after a pause, or once the user lifts the limit, it may ask again.", rounds.Limit)
	case errors.As(err, &large):
		return problemf(http.StatusRequestEntityTooLarge, codeTooLarge, "The request is larger than %d bytes.", large.Limit)
	}
	return nil
}

// fail answers a request of the API with err. What is not the client's doing
// goes to the log, not to the client.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	if p == nil {
		s.log.ErrorContext(r.Context(), "web", "method", r.Method, "path", r.URL.Path, "error", err)
		p = problemf(http.StatusInternalServerError, codeInternal, "Something failed; the log says what. Trying again is reasonable.")
	}
	refuse(w, r, p)
}

//go:embed refusal.html
var refusal string

// refuse answers with a problem: JSON to programs, a small page to people.
func refuse(w http.ResponseWriter, r *http.Request, p *problem) {
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if !strings.HasPrefix(r.URL.Path, "/api/") {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(p.status)
		page := template.Must(template.New("refusal").Parse(refusal)) // rare enough to be read each time
		_ = page.Execute(w, p)                                        // the client may be gone; nobody is left to tell
		return
	}
	write(w, p.status, map[string]*problem{"error": p})
}

// write sends a value as JSON.
func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(true) // no sniffing browser finds a tag in it
	_ = enc.Encode(v)       // as above
}
