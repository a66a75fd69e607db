package web

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/door"
	"mcp-askuser/ui/api"
)

// Whoever is not to come in: refused, and nothing recorded.
func TestRefused(t *testing.T) {
	g := start(t)
	rec := g.ask("s", single("db"))
	cookie := g.browser()
	other, err := New(Options{Desk: g.desk, Token: token})
	if err != nil {
		t.Fatal(err)
	}

	// An answer that would be taken from who may come in.
	body := `{"session_id":"s","question_id":"db","answer":"pg"}`
	browser := func(r *http.Request) {
		r.Header.Del("Authorization")
		r.AddCookie(cookie)
		r.Header.Set("Origin", "http://"+r.Host)
	}
	tests := []struct {
		name   string
		status int
		change func(r *http.Request)
	}{
		{"foreign host with a cookie", 403, func(r *http.Request) {
			browser(r)
			r.Host = "evil.example"
			r.Header.Set("Origin", "http://evil.example")
		}},
		{"foreign origin", 403, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }},
		{"foreign origin with a cookie", 403, func(r *http.Request) { browser(r); r.Header.Set("Origin", "https://evil.example") }},
		{"a browser's word that it is another site", 403, func(r *http.Request) { browser(r); r.Header.Set("Sec-Fetch-Site", "cross-site") }},
		{"no token", 401, func(r *http.Request) { r.Header.Del("Authorization") }},
		{"wrong token", 401, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"x") }},
		{"token in the address", 401, func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "token=" + token }},
		{"cookie of another start", 401, func(r *http.Request) {
			browser(r)
			r.Header.Del("Cookie")
			r.AddCookie(&http.Cookie{Name: cookie.Name, Value: other.keys.cookie()})
		}},
		{"cookie that was tampered with", 401, func(r *http.Request) {
			browser(r)
			r.Header.Del("Cookie")
			r.AddCookie(&http.Cookie{Name: cookie.Name, Value: "x" + cookie.Value})
		}},
		{"wrong token beside a cookie", 401, func(r *http.Request) { browser(r); r.Header.Set("Authorization", "Bearer x") }},
		{"cookie without an origin", 403, func(r *http.Request) { browser(r); r.Header.Del("Origin") }},
		{"GET", 404, func(r *http.Request) { browser(r); r.Method = http.MethodGet }},
		{"GET with the answer in the address", 404, func(r *http.Request) {
			browser(r)
			r.Method, r.Body, r.ContentLength = http.MethodGet, nil, 0
			r.URL.RawQuery = url.Values{"session_id": {"s"}, "question_id": {"db"}, "answer": {"pg"}}.Encode()
		}},
		{"HEAD", 404, func(r *http.Request) { browser(r); r.Method, r.Body, r.ContentLength = http.MethodHead, nil, 0 }},
		{"PUT", 404, func(r *http.Request) { browser(r); r.Method = http.MethodPut }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := g.at(t)
			r := g.request(http.MethodPost, "/api/task/answer", body)
			tt.change(r)
			if a := g.send(r); a.status != tt.status {
				t.Errorf("%d, want %d: %s", a.status, tt.status, a.body)
			}
			g.pending(rec.ID)
		})
	}

	// The same request from who may come in is taken: the above was refused
	// for the reason named.
	r := g.request(http.MethodPost, "/api/task/answer", body)
	browser(r)
	if a := g.send(r); a.status != 200 {
		t.Errorf("the browser itself: %d %s", a.status, a.body)
	}
	g.reply(rec.ID)
}

// No operation of the page or the API is done without a token, nor for a page elsewhere.
func TestEveryRouteIsGuarded(t *testing.T) {
	g := start(t)
	named := strings.NewReplacer("{id}", "01J00000000000000000000000", "{session_id}", "s", "{key}", strings.Repeat("0", 64)+".png", "{$}", "")
	for request := range g.server.routes() {
		method, path, _ := strings.Cut(request, " ")
		code := func(code string) string {
			if strings.HasPrefix(path, "/api/") {
				return code
			}
			return "" // a page
		}
		r := g.request(method, named.Replace(path), "")
		r.Header.Del("Authorization")
		if a := g.send(r); a.status != 401 || a.code() != code(api.Unauthorized) {
			t.Errorf("%s without a token: %d %s", request, a.status, a.code())
		}
		r = g.request(method, named.Replace(path), "")
		r.Header.Set("Origin", "https://evil.example")
		if a := g.send(r); a.status != 403 || a.code() != code(api.Forbidden) {
			t.Errorf("%s from another site: %d %s", request, a.status, a.code())
		}
	}
}

// A cookie alone changes nothing, at any path: the browser must say that a page of
// this server sent the request, in either header.
func TestCookieAlone(t *testing.T) {
	g := start(t)
	cookie := g.browser()
	for _, tt := range []struct {
		origin, site string
		status       int
	}{
		{"", "", http.StatusForbidden},
		{"", "cross-site", http.StatusForbidden},
		{"own", "cross-site", http.StatusForbidden},
		{"own", "", http.StatusNotFound},
		{"", "same-origin", http.StatusNotFound},
	} {
		r := g.request(http.MethodPost, "/anything", "id=1")
		r.Header.Del("Authorization")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
		r.AddCookie(cookie)
		if tt.origin == "own" {
			tt.origin = "http://" + r.Host
		}
		for name, value := range map[string]string{"Origin": tt.origin, "Sec-Fetch-Site": tt.site} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		if status := g.send(r).status; status != tt.status {
			t.Errorf("Origin %q, Sec-Fetch-Site %q: %d, want %d", tt.origin, tt.site, status, tt.status)
		}
	}
}

// The token is traded for a cookie and leaves the address.
func TestEnter(t *testing.T) {
	g := start(t)
	enter := func(path string) response {
		r := g.request(http.MethodGet, path, "")
		r.Header.Del("Authorization")
		return g.send(r)
	}
	a := enter("/?token=" + token + "&session=s")
	if a.status != http.StatusSeeOther || a.header.Get("Location") != "/?session=s" {
		t.Errorf("%d to %q", a.status, a.header.Get("Location"))
	}
	set := a.header.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(set, part) {
			t.Errorf("cookie without %s: %s", part, set)
		}
	}
	if strings.Contains(set, token) {
		t.Errorf("the cookie gives the token away: %s", set)
	}
	for _, wrong := range []string{"", "x", token + "x", strings.ToUpper(token)} {
		if a := enter("/?token=" + wrong); a.status != 401 || a.header.Get("Set-Cookie") != "" {
			t.Errorf("token %q: %d, cookie %q", wrong, a.status, a.header.Get("Set-Cookie"))
		}
	}
	if a := enter("/"); a.status != 401 || !strings.Contains(string(a.body), "mcp-askuser web --open") {
		t.Errorf("without token: %d %s", a.status, a.body)
	}
}

// An invitation, which stands on a command line for all to read, works once
// and for a short time.
func TestInvite(t *testing.T) {
	now := time.Now()
	g := start(t, func(o *Options) { o.Now = func() time.Time { return now } })
	enter := func(address string) int {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		r := g.request(http.MethodGet, "/?"+u.RawQuery, "")
		r.Header.Del("Authorization")
		return g.send(r).status
	}
	first, late := g.server.Invite(g.addr), g.server.Invite(g.addr)
	if strings.Contains(first, token) {
		t.Errorf("the invitation gives the token away: %s", first)
	}
	for i, want := range []int{303, 401} {
		if got := enter(first); got != want {
			t.Errorf("use %d: %d, want %d", i+1, got, want)
		}
	}
	now = now.Add(invitationTime)
	if got := enter(late); got != 401 {
		t.Errorf("too late: %d", got)
	}
}

// What was handed out by one start opens nothing at the next, even on the same
// desk and port.
func TestOldToken(t *testing.T) {
	d := newDesk(t)
	old := start(t, func(o *Options) { o.Desk, o.Token = d, "" })
	cookie := old.browserWith(old.server.keys.token)
	old.stop()
	g := start(t, func(o *Options) { o.Desk, o.Token = d, "" })
	r := g.request(http.MethodGet, "/api/questions", "")
	r.Header.Set("Authorization", "Bearer "+old.server.keys.token)
	if a := g.send(r); a.status != 401 {
		t.Errorf("old token: %d", a.status)
	}
	r = g.request(http.MethodGet, "/api/questions", "")
	r.Header.Del("Authorization")
	r.AddCookie(&http.Cookie{Name: g.server.keys.cookieName(), Value: cookie.Value})
	if a := g.send(r); a.status != 401 {
		t.Errorf("old cookie: %d", a.status)
	}
}

// A browser that was here comes back after a restart, with the forms it has
// open, until its time is over or somebody ends all visits.
func TestComesBack(t *testing.T) {
	d, key, now := newDesk(t), t.TempDir()+"/new/page.key", time.Now()
	again := func(o *Options) { o.Desk, o.KeyFile, o.Now = d, key, func() time.Time { return now } }
	g := start(t, again)
	v, rec, later := g.visitor(), g.ask("s", text("port")), g.ask("s", text("host"))
	info, err := os.Stat(key)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("the key is kept as %v, %v", info, err)
	}
	port := g.addr.(*net.TCPAddr).Port
	g.stop()
	g = start(t, again)
	if got := g.addr.(*net.TCPAddr).Port; got != port {
		t.Logf("the port is %d, was %d: somebody has it", got, port)
	}
	v.rig = g
	if status, there := v.post("/answer", confirmed(rec.ID, "t0", "443")); status != http.StatusSeeOther {
		t.Errorf("a form from before the restart: %d, %s", status, there)
	}
	now = now.Add(cookieTime - time.Minute)
	if a := g.page(v.cookie, "/"); a.status != 200 || !strings.Contains(a.header.Get("Set-Cookie"), "Max-Age=") {
		t.Errorf("just in time: %d, %s", a.status, a.header.Get("Set-Cookie"))
	}
	now = now.Add(time.Minute)
	if a := g.page(v.cookie, "/"); a.status != 401 {
		t.Errorf("too late: %d", a.status)
	}
	v = g.visitor()
	if err := Revoke(key); err != nil {
		t.Fatal(err)
	}
	if a := g.page(v.cookie, "/"); a.status != 401 {
		t.Errorf("revoked: %d", a.status)
	}
	g.pending(later.ID)
}

// page is what a browser gets.
func (g *rig) page(cookie *http.Cookie, path string) response {
	g.t.Helper()
	r := g.request(http.MethodGet, path, "")
	r.Header.Del("Authorization")
	r.AddCookie(cookie)
	return g.send(r)
}

// A key that others may have read, or that is none, opens nothing.
func TestBadKey(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"readable": func(path string) error { return os.Chmod(path, 0o644) },
		"cut":      func(path string) error { return os.Truncate(path, 10) },
		"gone":     os.Remove,
		"a link":   func(path string) error { return errors.Join(os.Rename(path, path+"x"), os.Symlink(path+"x", path)) },
	} {
		if runtime.GOOS == "windows" && name == "readable" {
			continue
		}
		d, key := newDesk(t), t.TempDir()+"/page.key"
		old := start(t, func(o *Options) { o.Desk, o.KeyFile = d, key })
		cookie := old.browser()
		old.stop()
		if err := spoil(key); err != nil {
			t.Fatal(err)
		}
		g := start(t, func(o *Options) { o.Desk, o.KeyFile = d, key })
		if a := g.page(cookie, "/"); a.status != 401 {
			t.Errorf("%s: %d", name, a.status)
		}
	}
}

// A browser that opens an address once more, used or not, keeps what it has: the
// forms of its other tabs are still good.
func TestEnterAgain(t *testing.T) {
	g := start(t)
	v, rec := g.visitor(), g.ask("s", text("port"))
	for _, path := range []string{"/?token=" + token, "/?token=used"} {
		a := g.page(v.cookie, path)
		if a.status != http.StatusSeeOther {
			t.Errorf("%s: %d", path, a.status)
		}
		v.cookie = (&http.Response{Header: a.header}).Cookies()[0]
	}
	if status, there := v.post("/answer", confirmed(rec.ID, "t0", "443")); status != http.StatusSeeOther {
		t.Errorf("the first tab's form: %d, %s", status, there)
	}
}

// Every response narrows what a browser does with it, refusals too.
func TestHeaders(t *testing.T) {
	g := start(t)
	for _, path := range []string{"/api/questions", "/api/nothing", "/", "/?token=wrong", "/nothing"} {
		h := g.do(http.MethodGet, path, "").header
		policy := h.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: policy %q lacks %s", path, policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
			t.Errorf("%s: policy %q", path, policy)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store", "X-Frame-Options": "DENY"} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}

func TestExposedNeedsSayingSo(t *testing.T) {
	for _, listen := range []string{"0.0.0.0", "::", "192.0.2.7", "box.lan"} {
		if _, err := New(Options{Host: listen}); !errors.Is(err, door.ErrExposed) {
			t.Errorf("%s: %v", listen, err)
		}
		if _, err := New(Options{Host: listen, Insecure: true}); err != nil {
			t.Errorf("%s, insecure: %v", listen, err)
		}
	}
	for _, o := range []Options{{TLSCert: "cert.pem"}, {TLSKey: "key.pem"}, {TLSCert: "none.pem", TLSKey: "none.pem"}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}
