package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"mcp-askuser/ui/api"
)

// statuses are the HTTP statuses of problems (D12); of all others it is 400.
var statuses = map[string]int{ //nolint:gochecknoglobals // a table, never written to
	api.SessionNotFound:  http.StatusNotFound,
	api.QuestionNotFound: http.StatusNotFound,
	api.NoSuchPath:       http.StatusNotFound,
	api.RoundLimit:       http.StatusTooManyRequests,
	api.Unauthorized:     http.StatusUnauthorized,
	api.Forbidden:        http.StatusForbidden,
	api.MethodNotAllowed: http.StatusMethodNotAllowed,
	api.TooLarge:         http.StatusRequestEntityTooLarge,
	api.TooManyStreams:   http.StatusServiceUnavailable,
	api.NotSupported:     http.StatusNotImplemented,
	api.Internal:         http.StatusInternalServerError,
}

// How a request is refused before it is looked at. Each says what to do about
// it.
var (
	errHost     = api.Problemf(api.Forbidden, "This server does not go by that name and port. Use the address that it printed; a tunnel keeps the port.")
	errOrigin   = api.Problemf(api.Forbidden, "Requests from pages of other sites are refused.")
	errToken    = api.Problemf(api.Unauthorized, "The token is missing or no longer good. Open the address that mcp-askuser printed when it started; programs send it as Authorization: Bearer TOKEN.")
	errCSRF     = api.Problemf(api.Forbidden, "This form is from another session. Reload the page and send it again; programs send the header X-CSRF-Token, or the bearer token.")
	errNotWhole = api.Problemf(api.InvalidRequest, "The request did not arrive whole.")
	errInternal = api.Problemf(api.Internal, "Something failed; the log says what. Trying again is reasonable.")
)

// problemOf says what an error is to a client; nil if it is not the client's
// doing.
func problemOf(err error) *api.Problem {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return api.Problemf(api.TooLarge, "The request is larger than %d bytes.", large.Limit)
	}
	return api.ProblemOf(err)
}

// fail answers a request with err. What is not the client's doing goes to the
// log, not to the client.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	if p == nil {
		s.log.ErrorContext(r.Context(), "web", "method", r.Method, "path", r.URL.Path, "error", err)
		p = errInternal
	}
	refuse(w, r, p)
}

// refusals are what people read instead of a problem's message, which is for
// programs.
var refusals = map[*api.Problem]refusal{ //nolint:gochecknoglobals // a table, never written to
	errToken: {"Open the page once more", "This address has been used, or your visit has ended: that is so after thirty days without one, or when somebody ended all of them. In a terminal, run", "mcp-askuser web --open"},
	errHost:  {"Not under this name", "Use the address that mcp-askuser printed, with the same port.", ""},
	errCSRF:  {"Send it once more", "This form is from an earlier visit, and was not sent. Go to the questions: what you had filled in is kept.", ""},
}

// refusal is a page that says why there is no other.
type refusal struct {
	Title   string
	Words   string
	Command string // what mends it; empty: going to the questions
}

// refuse answers with a problem: JSON to programs, a page to people.
func refuse(w http.ResponseWriter, r *http.Request, p *api.Problem) {
	status := cmp.Or(statuses[p.Code], http.StatusBadRequest)
	if p == errNotWhole {
		status = http.StatusRequestTimeout
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		write(w, status, map[string]*api.Problem{"error": p})
		return
	}
	x, ok := refusals[p]
	if !ok {
		x = refusal{Title: "That did not work", Words: p.Message}
	}
	if err := render(w, r, status, "refusal", x); err != nil {
		http.Error(w, p.Message, status)
	}
}

// write sends a value as JSON.
func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(true) // no sniffing browser finds a tag in it
	_ = enc.Encode(v)       // as above
}
