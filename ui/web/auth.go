package web

import (
	"context"
	"crypto/hmac"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"

	"mcp-askuser/internal/door"
)

// visitor is the sender of a request: a program with the page's token, a front end
// with its own, or a browser with a cookie, which alone is not proof that its user
// meant to send it.
type visitor struct {
	session string   // empty for a program
	how     desk.How // what a reply of theirs proves; empty for none that was identified
	name    string   // of the front end
}

type visitorKey struct{}

// senderOf returns who sent the request of a context.
func senderOf(ctx context.Context) visitor {
	who, _ := ctx.Value(visitorKey{}).(visitor)
	return who
}

// identify returns the sender of a request, and whether they may enter. The user
// answers in a form of the page, in a browser that has the page's cookie, or
// through a front end. What else is sent is a program's.
func (s *Server) identify(r *http.Request) (who visitor, ok bool) {
	who.how = desk.HowAPI
	if token, shown := door.Bearer(r); shown {
		if s.keys.opens(token) {
			return who, true
		}
		if s.FrontEnd == nil {
			return who, false
		}
		who.name, ok = s.FrontEnd(token)
		who.how = desk.HowFrontEnd
		return who, ok
	}
	if who.session, ok = s.keys.visit(r); ok && !strings.HasPrefix(r.URL.Path, "/api/") {
		who.how = desk.HowPage
	}
	return who, ok
}

// evidence is what a reply proves of the sender of a request. With an answer of a
// program's in it, kept from an earlier request, it proves nothing.
func evidence(ctx context.Context, r *question.Reply) desk.Evidence {
	who := senderOf(ctx)
	from := desk.Evidence{Surface: surfaceName, How: who.how, Name: who.name}
	byProgram := func(a question.Answer) bool { return a.By == question.ByProgram }
	if who.how == desk.HowFrontEnd && slices.ContainsFunc(r.Answers, byProgram) {
		from.How = desk.HowAPI
	}
	return from
}

// guard lets through who may enter, and only requests that their user meant
// to send. What is the same for everybody is nobody's secret: a page that says
// why somebody may not come in looks like the others.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		switch {
		case !door.OwnHost(r, s.Host, s.tls):
			s.turnAway(w, r, errHost)
			return
		case !door.OwnOrigin(r):
			s.turnAway(w, r, errOrigin)
			return
		case r.Method == http.MethodGet && r.URL.Path == "/" && r.URL.Query().Has("token"):
			s.enter(w, r)
			return
		}
		who, ok := s.identify(r)
		switch {
		case ok:
			welcome(w, r)
		case safe(r.Method) && public(r.URL.Path):
			dismissAfter(w)
		default:
			s.turnAway(w, r, errToken)
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), visitorKey{}, who))
		if !safe(r.Method) && !s.checkCSRF(r) {
			s.refuseOldForm(w, r)
			return
		}
		if r.URL.Path == "/" && who.session != "" && !scripted(r) {
			s.keys.remember(w, r, who.session)
			select {
			case s.visited <- struct{}{}:
			default:
			}
		}
		next.ServeHTTP(w, r)
	})
}

// turnAway refuses a client that may not come in, and lets it go.
func (s *Server) turnAway(w http.ResponseWriter, r *http.Request, p *api.Problem) {
	dismissAfter(w)
	s.refuse(w, r, p)
}

// welcome keeps the connection of a client that may come in. One for which
// there is no place goes after its answer, like a stranger's.
func welcome(w http.ResponseWriter, r *http.Request) {
	if !door.MarkAuthenticated(r) {
		dismissAfter(w)
	}
}

// dismissAfter closes the connection after its answer.
func dismissAfter(w http.ResponseWriter) { w.Header().Set("Connection", "close") }

func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// enter trades a token for a cookie and takes it out of the address bar. A
// browser that has one keeps it, and with it the forms of its other tabs; it
// may come with a token that was used.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	token := query.Get("token")
	id, known := s.keys.visit(r)
	if !s.keys.opens(token) && !s.keys.invited(token) && !known {
		s.turnAway(w, r, errToken)
		return
	}
	welcome(w, r)
	s.keys.remember(w, r, id)
	query.Del("token")
	there := url.URL{Path: "/", RawQuery: query.Encode()}
	http.Redirect(w, r, there.String(), http.StatusSeeOther)
}

// csrf returns the token that every form of the page carries, in the field
// csrf; a script sends it in the header X-CSRF-Token. It is bound to the
// browser's cookie.
func (s *Server) csrf(r *http.Request) string {
	who := senderOf(r.Context())
	if who.session == "" {
		return ""
	}
	return s.keys.sign("form", who.session)
}

// checkCSRF reports whether the visitor meant to send a request that changes
// something. A program that shows the token did: no browser adds that by
// itself.
func (s *Server) checkCSRF(r *http.Request) bool {
	who := senderOf(r.Context())
	if who.session == "" {
		return who.how != "" // not identified at all
	}
	given := r.Header.Get("X-CSRF-Token")
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); given == "" && kind == "application/x-www-form-urlencoded" {
		given = r.PostFormValue("csrf")
	}
	return hmac.Equal([]byte(given), []byte(s.csrf(r)))
}

// headers keeps what a browser does with our responses narrow. Nothing inline
// runs or styles, nothing is loaded from elsewhere, no page may frame ours.
//
// The referrer policy is same-origin, not no-referrer: under that, browsers
// send "Origin: null" with our own forms.
func headers(next http.Handler) http.Handler {
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// How long an invitation opens the page, and how long a browser that has been
// there may come back.
const (
	inviteTime = time.Minute
	visitTime  = 30 * 24 * time.Hour
)
