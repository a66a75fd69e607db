package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk/proof"
	"mcp-askuser/internal/door"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/ui/api"
)

// A request whose sender is not authenticated, or that a page of another site sent, is refused,
// its connection is closed, and nothing is recorded.
func TestRefused(t *testing.T) {
	g := start(t)
	rec := g.ask("s", single("db"))
	v := g.visitor()

	// An answer that would be taken from who may come in.
	body := `{"session_id":"s","question_id":"db","answer":"pg"}`
	browser := func(r *http.Request) {
		v.byCookie(r)
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
		{"foreign origin with a cookie", 403,
			func(r *http.Request) { browser(r); r.Header.Set("Origin", "https://evil.example") }},
		{"cookie without an origin", 403, func(r *http.Request) { v.byCookie(r) }},
		{"no token", 401, func(r *http.Request) { r.Header.Del("Authorization") }},
		{"token in the address", 401,
			func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "token=" + token }},
		{"cookie that was tampered with", 401,
			func(r *http.Request) { browser(r); r.Header.Set("Cookie", v.cookie.Name+"=x"+v.cookie.Value) }},
		{"wrong token beside a cookie", 401,
			func(r *http.Request) { browser(r); r.Header.Set("Authorization", "Bearer x") }},
		{"GET with the answer in the address", 404, func(r *http.Request) {
			browser(r)
			r.Method, r.Body, r.ContentLength = http.MethodGet, nil, 0
			r.URL.RawQuery = url.Values{"session_id": {"s"}, "question_id": {"db"}, "answer": {"pg"}}.Encode()
		}},
	}
	for _, tt := range tests {
		r := g.request(http.MethodPost, "/api/task/answer", body)
		tt.change(r)
		a := g.send(r)
		if a.status != tt.status || a.closes != (tt.status != 404) {
			t.Errorf("%s: %d, want %d, closes its connection: %t\n%s", tt.name, a.status, tt.status, a.closes, a.body)
		}
		g.pending(rec.ID)
	}

	// The same request from the browser itself is taken: the above was refused for the reason named.
	r := v.byCookie(g.request(http.MethodPost, "/api/task/answer", body))
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if a := g.send(r); a.status != 200 {
		t.Errorf("the browser itself: %d %s", a.status, a.body)
	}
	g.reply(rec.ID)
}

// No operation of the page or the API is done without a token, nor for a page of another site;
// what is the same for every client needs none. No token sends a form of the page.
func TestEveryRouteIsGuarded(t *testing.T) {
	g := start(t, func(o *Options) { o.AddPasskey = func(context.Context, proof.Passkey) error { return nil } })
	named := strings.NewReplacer("{id}", nowhere, "{session_id}", "s", "{key}", strings.Repeat("0", 64)+".png", "{$}",
		"")
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
		if method == http.MethodPost && code(path) == "" {
			if a := g.send(g.fromFrontEnd(method, named.Replace(path), "")); a.status != 401 {
				t.Errorf("%s of a program: %d", request, a.status)
			}
		}
		r = g.request(method, named.Replace(path), "")
		r.Header.Set("Origin", "https://evil.example")
		if a := g.send(r); a.status != 403 || a.code() != code(api.Forbidden) {
			t.Errorf("%s from another site: %d %s", request, a.status, a.code())
		}
	}
	for path, want := range map[string]int{"/assets/page.css": 200, "/assets/icon-192.png": 200, "/assets/none": 404} {
		if a := g.enter(path); a.status != want || want == 200 && len(a.body) == 0 {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

// A browser redeems the token for a cookie, and the token leaves the address. A browser that opens
// an address once more, used or not, keeps its cookie.
func TestEnter(t *testing.T) {
	g := start(t)
	a := g.enter("/?token=" + token + "&session=s")
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
		if a := g.enter("/?token=" + wrong); a.status != 401 || !a.closes || a.header.Get("Set-Cookie") != "" {
			t.Errorf("token %q: %d, cookie %q", wrong, a.status, a.header.Get("Set-Cookie"))
		}
	}
	if a := g.enter("/"); a.status != 401 || !strings.Contains(string(a.body), "mcp-askuser web --open") {
		t.Errorf("without token: %d %s", a.status, a.body)
	}
	if v := g.visitor(); v.page("/?token=used").status != http.StatusSeeOther {
		t.Error("a visitor with a cookie is sent away")
	}
}

// A browser comes back after a restart, with the forms it has open, until its time is over, or the
// key of its cookie is replaced or spoiled.
func TestComesBack(t *testing.T) {
	d, key, now := newDesk(t), t.TempDir()+"/new/page.key", time.Now()
	again := func(o *Options) { o.Desk, o.KeyFile, o.Now = d, key, func() time.Time { return now } }
	g := start(t, again)
	v, rec := g.visitor(), g.ask("s", text("port"))
	info, err := os.Stat(key)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("the key is kept as %v, %v", info, err)
	}
	port := g.addr.(*net.TCPAddr).Port
	g.stop()
	g = start(t, again)
	if got := g.addr.(*net.TCPAddr).Port; got != port {
		t.Logf("the port is %d, was %d: another program has it", got, port)
	}
	v.rig = g
	if status, there := v.post("/answer", confirmed(rec.ID, "t0", "443")); status != http.StatusSeeOther {
		t.Errorf("a form from before the restart: %d, %s", status, there)
	}
	visit := func(name string, want int) {
		t.Helper()
		a := v.page("/")
		if a.status != want || want == 200 && !strings.Contains(a.header.Get("Set-Cookie"), "Max-Age=") {
			t.Errorf("%s: %d, %s", name, a.status, a.header.Get("Set-Cookie"))
		}
	}
	now = now.Add(cookieTime - time.Minute)
	visit("just in time", 200)
	open := v.byCookie(v.request(http.MethodGet, "/", ""))
	open.Header.Set("X-Script", "1") // a tab that was never loaded again
	if got := v.send(open).header.Get("Set-Cookie"); got == "" {
		t.Error("a tab that stays open is no visit")
	}
	now = now.Add(time.Minute)
	visit("too late", 401)
	v = g.visitor()
	fatal.If(t, Revoke(key))
	visit("revoked", 401)
	for name, spoil := range map[string]func() error{
		"readable by others": func() error { return os.Chmod(key, 0o644) },
		"cut":                func() error { return os.Truncate(key, 10) },
		"a link":             func() error { return errors.Join(os.Rename(key, key+"x"), os.Symlink(key+"x", key)) },
		"gone":               func() error { return os.Remove(key) },
	} {
		if runtime.GOOS == "windows" {
			break
		}
		v = g.visitor()
		g.stop()
		fatal.If(t, spoil())
		g = start(t, again)
		v.rig = g
		visit(name, 401)
	}
	without := func(o *Options) { o.Token = "" }
	one, two := start(t, without), start(t, without)
	if one.server.keys.token == two.server.keys.token || len(one.server.keys.token) < 26 {
		t.Error("two starts have the same token, or a short one")
	}
	v = &visitor{two, one.redeem(one.server.keys.token)}
	v.cookie.Name = two.server.keys.cookieName()
	visit("another start without a key file", 401)
}

// Every response limits what a browser does with it, refusals too: no inline script or style, no
// content from other sites, no frame around a page.
func TestHeaders(t *testing.T) {
	g := start(t)
	for _, path := range []string{"/api/questions", "/api/nothing", "/", "/?token=wrong", "/nothing"} {
		h := g.do(http.MethodGet, path, "").header
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
				"connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store",
			"X-Frame-Options": "DENY",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}

// A server that others can reach needs a certificate, or to be told that plain HTTP is meant.
func TestExposedNeedsSayingSo(t *testing.T) {
	for _, listen := range []string{"0.0.0.0", "::", "192.0.2.7", "box.lan"} {
		_, refused := newServer(Options{Host: listen})
		_, taken := newServer(Options{Host: listen, Insecure: true})
		if !errors.Is(refused, door.ErrExposed) || taken != nil {
			t.Errorf("%s: %v; insecure: %v", listen, refused, taken)
		}
	}
	if _, err := newServer(Options{TLSCert: "cert.pem"}); err == nil {
		t.Error("half a certificate was accepted")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
