package web

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// inviteTime is how long an invitation opens the page.
const inviteTime = time.Minute

// keys are the secrets of one start.
type keys struct {
	token  string // what programs show, and what a browser trades for its cookie
	secret []byte // signs cookies and form tokens
	now    func() time.Time

	mu      sync.Mutex
	invites map[string]time.Time // tokens that work once, and until when
}

func newKeys(token string, now func() time.Time) *keys {
	secret := make([]byte, sha256.Size)
	_, _ = rand.Read(secret) // never fails
	return &keys{token: token, secret: secret, now: now, invites: map[string]time.Time{}}
}

func (k *keys) invite() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	token := rand.Text()
	k.invites[token] = k.now().Add(inviteTime)
	return token
}

// opens reports whether token is the server's, and no other one, however long
// that is.
func (k *keys) opens(token string) bool {
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(k.token))
	return hmac.Equal(got[:], want[:])
}

// invited reports whether token is an invitation, and uses it up.
func (k *keys) invited(token string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	until, ok := k.invites[token]
	delete(k.invites, token)
	return ok && k.now().Before(until)
}

func (k *keys) sign(purpose, text string) string {
	mac := hmac.New(sha256.New, k.secret)
	mac.Write([]byte(purpose + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// session returns the value of a new cookie: an id and its signature.
func (k *keys) session() string {
	id := rand.Text()
	return id + "." + k.sign("session", id)
}

// verify returns the id in a cookie of this start.
func (k *keys) verify(cookie string) (id string, ok bool) {
	id, signature, _ := strings.Cut(cookie, ".")
	return id, hmac.Equal([]byte(signature), []byte(k.sign("session", id)))
}

// visitor is who sent a request: a program with the token, or a browser with a
// cookie, which alone is not proof that its user meant to send it.
type visitor struct {
	session string      // empty for a program
	by      question.By // whose word an answer is
}

type visitorKey struct{}

// senderOf returns who sent the request of a context.
func senderOf(ctx context.Context) visitor {
	who, _ := ctx.Value(visitorKey{}).(visitor)
	return who
}

// whose says whose word an answer is: the user's where it comes from a form of
// the page, in a browser that has the page's cookie; else a program's.
func whose(session string, r *http.Request) question.By {
	if session != "" && !strings.HasPrefix(r.URL.Path, "/api/") {
		return question.ByUser
	}
	return question.ByProgram
}

// identify tells who sent a request, if it may enter.
func (s *Server) identify(r *http.Request) (visitor, bool) {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return visitor{by: whose("", r)}, s.keys.opens(strings.TrimSpace(token))
	}
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return visitor{}, false
	}
	id, ok := s.keys.verify(c.Value)
	return visitor{id, whose(id, r)}, ok
}

// cookieName tells servers on one machine apart: a browser sends the cookies
// of a host to every port of it.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		return "askuser"
	}
	return "askuser-" + port
}

// guard lets through who may enter, and only requests that their user meant
// to send.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		switch {
		case !s.ownHost(r.Host):
			turnAway(w, r, errHost)
			return
		case !ownOrigin(r):
			turnAway(w, r, errOrigin)
			return
		case r.Method == http.MethodGet && r.URL.Path == "/" && r.URL.Query().Has("token"):
			s.enter(w, r)
			return
		}
		who, ok := s.identify(r)
		if !ok {
			turnAway(w, r, errToken)
			return
		}
		welcome(w, r)
		r = r.WithContext(context.WithValue(r.Context(), visitorKey{}, who))
		if !safe(r.Method) && !s.checkCSRF(r) {
			refuse(w, r, errCSRF)
			return
		}
		if r.URL.Path == "/" && who.session != "" {
			s.visits.ring()
		}
		next.ServeHTTP(w, r)
	})
}

// turnAway refuses a client that may not come in, and lets it go.
func turnAway(w http.ResponseWriter, r *http.Request, p *api.Problem) {
	dismissAfter(w)
	refuse(w, r, p)
}

func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// enter trades the token for a cookie and takes it out of the address bar.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if token := query.Get("token"); !s.keys.opens(token) && !s.keys.invited(token) {
		turnAway(w, r, errToken)
		return
	}
	welcome(w, r)
	http.SetCookie(w, &http.Cookie{
		Name:     cookieName(r),
		Value:    s.keys.session(),
		Path:     "/",
		HttpOnly: true,
		Secure:   r.TLS != nil,
		SameSite: http.SameSiteStrictMode,
	})
	query.Del("token")
	there := r.URL.Path
	if len(query) > 0 {
		there += "?" + query.Encode()
	}
	http.Redirect(w, r, there, http.StatusSeeOther)
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
		return who.by != "" // not identified at all
	}
	given := r.Header.Get("X-CSRF-Token")
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); given == "" && kind == "application/x-www-form-urlencoded" {
		given = r.PostFormValue("csrf")
	}
	return hmac.Equal([]byte(given), []byte(s.keys.sign("form", who.session)))
}

// headers keeps what a browser does with our responses narrow. Nothing inline
// runs or styles, nothing is loaded from elsewhere, no page may frame ours.
//
// The referrer policy is same-origin, not no-referrer: under that, browsers
// send "Origin: null" with our own forms.
func headers(next http.Handler) http.Handler {
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
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

// visits wakes whoever waits for a human to open the page.
type visits struct {
	mu   sync.Mutex
	next chan struct{} // closed at the next visit; nil while nobody waits
}

func (v *visits) ring() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.next != nil {
		close(v.next)
		v.next = nil
	}
}

func (v *visits) wait() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.next == nil {
		v.next = make(chan struct{})
	}
	return v.next
}
