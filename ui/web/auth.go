package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"mcp-askuser/desk"
	"mcp-askuser/internal/door"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// sender is what a request proves of its sender: a program with the server's token, a
// front end with its own, or a browser with a cookie.
type sender struct {
	how     desk.How // what a reply of theirs proves
	name    string   // of the front end
	browser bool
}

type senderKey struct{}

// senderOf returns who sent the request of a context.
func senderOf(ctx context.Context) sender {
	from, _ := ctx.Value(senderKey{}).(sender)
	return from
}

// identify returns the sender of a request, and whether it is authenticated. The user
// answers in a form of the page, in a browser with the page's cookie, or through a front
// end. All other replies are a program's, and no program sends a form of the page: what it
// fills in is shown as the user's draft.
func (s *Server) identify(r *http.Request) (from sender, ok bool) {
	from.how = desk.HowAPI
	token, bearer := door.Bearer(r)
	onPage := !strings.HasPrefix(r.URL.Path, "/api/")
	switch {
	case bearer && onPage && !safe(r.Method):
	case bearer && s.keys.isToken(token):
		return from, true
	case bearer && s.FrontEnd != nil:
		from.name, ok = s.FrontEnd(token)
		from.how = desk.HowFrontEnd
	case !bearer:
		from.browser = s.keys.hasCookie(r)
		ok = from.browser
		if onPage {
			from.how = desk.HowPage
		}
	}
	return from, ok
}

// evidence is what a reply proves of the sender of a request. With an answer of a
// program's in it, kept from an earlier request, it proves nothing.
func (s *Server) evidence(ctx context.Context, r *question.Reply) desk.Evidence {
	from := senderOf(ctx)
	out := desk.Evidence{Surface: surfaceName, How: from.how, Name: from.name, Command: s.Command}
	byProgram := func(a question.Answer) bool { return a.By == question.ByProgram }
	if from.how == desk.HowFrontEnd && slices.ContainsFunc(r.Answers, byProgram) {
		out.How = desk.HowAPI
	}
	return out
}

// guard passes on requests of authenticated senders. What is the same for every client
// needs no authentication, so that a page that refuses one looks like the others.
//
// A browser adds the cookie to requests that its user did not mean to send. A change is
// therefore taken from a browser only where it says that a page of this server sent the
// request, which [door.OwnOrigin] has compared.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := r.URL.Path == "/" || r.URL.Path == "/passkey"
		enters := page && r.Method == http.MethodGet && r.URL.Query().Has("token")
		from, known := s.identify(r)
		switch {
		case !door.OwnHost(r, s.Host, s.tls):
			s.turnAway(w, r, errHost)
			return
		case !door.OwnOrigin(r):
			s.turnAway(w, r, errOrigin)
			return
		case enters:
			s.redeemToken(w, r)
			return
		case !known && !(safe(r.Method) && strings.HasPrefix(r.URL.Path, "/assets/")):
			s.turnAway(w, r, errToken)
			return
		case known && from.browser && !safe(r.Method) && r.Header.Get("Origin")+r.Header.Get("Sec-Fetch-Site") == "":
			s.turnAway(w, r, errOrigin)
			return
		}
		if !known {
			w.Header().Set("Connection", "close")
		}
		limitBody(w, r, known)
		if r.URL.Path == "/" && from.browser {
			s.keys.setCookie(w, r) // also of a tab that stays open
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), senderKey{}, from)))
	})
}

// turnAway refuses a client, and closes its connection.
func (s *Server) turnAway(w http.ResponseWriter, r *http.Request, p *api.Problem) {
	w.Header().Set("Connection", "close")
	s.refuse(w, r, p)
}

func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// redeemToken gives a browser a cookie for a token, and removes that from the address
// bar. A browser that has a cookie may send a token that was used.
func (s *Server) redeemToken(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	token := query.Get("token")
	if !s.keys.isToken(token) && !s.keys.redeemInvitation(token) && !s.keys.hasCookie(r) {
		s.turnAway(w, r, errToken)
		return
	}
	s.keys.setCookie(w, r)
	query.Del("token")
	there := url.URL{Path: r.URL.Path, RawQuery: query.Encode()}
	http.Redirect(w, r, there.String(), http.StatusSeeOther)
}

// limits are what a browser may do with our responses: no inline script or style, no content from
// other sites, no frame around a page.
//
// The referrer policy is same-origin, not no-referrer: under that, browsers
// send "Origin: null" with our own forms.
var limits = map[string]string{ //nolint:gochecknoglobals // a table, never written to
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
		"connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), microphone=(), geolocation=()",
	"Cache-Control":                "no-store",
}

func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range limits {
			w.Header().Set(name, value)
		}
		next.ServeHTTP(w, r)
	})
}
