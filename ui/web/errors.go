package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"mcp-askuser/ui/api"
	"mcp-askuser/ui/words"
)

// statuses are the HTTP statuses of problems; the others have 400.
var statuses = map[string]int{ //nolint:gochecknoglobals // a table, never written to
	api.SessionNotFound:  http.StatusNotFound,
	api.QuestionNotFound: http.StatusNotFound,
	api.NoSuchPath:       http.StatusNotFound,
	api.RoundLimit:       http.StatusTooManyRequests,
	api.Unauthorized:     http.StatusUnauthorized,
	api.Forbidden:        http.StatusForbidden,
	api.UserRequired:     http.StatusForbidden,
	api.ProofRequired:    http.StatusForbidden,
	api.TooLarge:         http.StatusRequestEntityTooLarge,
	api.NotSentYet:       http.StatusServiceUnavailable,
	api.Unreachable:      http.StatusServiceUnavailable,
	api.NotSupported:     http.StatusNotImplemented,
	api.Internal:         http.StatusInternalServerError,
}

// Problems of requests that no handler gets. Each message says what to do.
var (
	errHost = &api.Problem{Code: api.Forbidden,
		Message: words.Mark("This server has another name. Use the address that it printed.")}
	errOrigin = &api.Problem{Code: api.Forbidden,
		Message: words.Mark("Requests from pages of other sites are refused.")}
	errToken = &api.Problem{Code: api.Unauthorized, Message: "The token is missing or no longer good. " +
		"Open the address that mcp-askuser printed when it started; programs send it as Authorization: Bearer TOKEN."}
	errNoPage   = &api.Problem{Code: api.NoSuchPath, Message: words.Mark("There is nothing at this address.")}
	errNotWhole = &api.Problem{Code: api.InvalidRequest, Message: words.Mark("The request did not arrive whole.")}
	errEnded    = &api.Problem{Code: api.Unreachable, Message: words.Mark("The server has ended. Try again when it runs.")}
	errInternal = &api.Problem{Code: api.Internal, Message: words.Mark("Something failed; the log says what. " +
		"Trying again is reasonable.")}
)

// forPeople is what the page says instead of a problem's message, which is for programs.
var forPeople = map[string]string{ //nolint:gochecknoglobals // a table, never written to
	api.Unauthorized: words.Mark("This address was used before, or this browser may no longer open the page: " +
		"its last visit was more than thirty days ago, or mcp-askuser web --revoke was run. In a terminal, run"),
	api.QuestionNotFound: words.Mark("There is no question with this id."),
	api.NotSentYet:       words.Mark("The shared desk does not answer. Your answer is kept as a draft; send it again."),
	api.Unreachable: words.Mark("The shared desk does not answer, and nothing was sent. " +
		"Try again when it answers."),
}

// problemOf returns an error as a problem of the client; nil for a failure of the server.
func problemOf(err error) *api.Problem {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return api.Problemf(api.TooLarge, "The request is larger than %d bytes.", large.Limit)
	}
	if errors.Is(err, context.Canceled) { // or the client has left, and reads nothing
		return errEnded
	}
	return api.ProblemOf(err)
}

// fail responds with an error. A failure of the server is logged, and not shown.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	if p == nil {
		s.Log.ErrorContext(r.Context(), "web", "method", r.Method, "path", r.URL.Path, "error", err)
		p = errInternal
	}
	s.refuse(w, r, p)
}

// refuse answers with a problem: JSON to programs, a page to people.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, p *api.Problem) {
	status := cmp.Or(statuses[p.Code], http.StatusBadRequest)
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		write(w, status, map[string]*api.Problem{"error": p})
		return
	}
	l := s.languageOf(r)
	title, why := l.T("That did not work"), l.T(cmp.Or(forPeople[p.Code], p.Message))
	next := h.P(h.A(h.Class("button"), h.Href("/"), say(l, "To the questions")))
	switch p {
	case errEnded: // of the code of a desk that does not answer
		why = l.T(p.Message)
	case errToken:
		title = l.T("Open the page once more")
		next = g.Group{h.Pre(h.Code(g.Text("mcp-askuser web --open"))),
			h.P(h.A(h.Class("button"), h.Href(""), say(l, "Try again")))}
	}
	err := render(w, status, alone(l, title, title, nil, h.P(g.Text(why)), next))
	if err != nil {
		http.Error(w, p.Message, status)
	}
}

// write sends a value as JSON, in which no sniffing browser finds a tag.
func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have disconnected
}
