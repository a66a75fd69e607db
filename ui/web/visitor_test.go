package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// visitor is a browser without scripts, with a cookie.
type visitor struct {
	*rig
	cookie *http.Cookie
}

// visited is a server, and a browser that has opened its page.
func visited(t testing.TB) (*rig, *visitor) {
	t.Helper()
	g := start(t)
	return g, g.visitor()
}

func (g *rig) visitor() *visitor {
	g.t.Helper()
	return &visitor{g, g.redeem(token)}
}

// redeem trades a token for a cookie.
func (g *rig) redeem(token string) *http.Cookie {
	g.t.Helper()
	a := g.enter("/?token=" + token)
	cookies := (&http.Response{Header: a.header}).Cookies()
	if len(cookies) != 1 {
		g.t.Fatalf("%d cookies, status %d", len(cookies), a.status)
	}
	return cookies[0]
}

// enter is a visit of a browser without a cookie.
func (g *rig) enter(path string) response {
	g.t.Helper()
	r := g.request(http.MethodGet, path, "")
	r.Header.Del("Authorization")
	return g.send(r)
}

// byCookie makes a request the browser's.
func (v *visitor) byCookie(r *http.Request) *http.Request {
	r.Header.Del("Authorization")
	r.AddCookie(v.cookie)
	return r
}

func (v *visitor) page(path string) response {
	v.t.Helper()
	return v.send(v.byCookie(v.request(http.MethodGet, path, "")))
}

func (v *visitor) get(path string) (int, string) {
	v.t.Helper()
	return v.take(v.request(http.MethodGet, path, ""))
}

// post sends a form.
func (v *visitor) post(path string, form url.Values) (int, string) {
	v.t.Helper()
	return v.take(v.form(path, form))
}

func (v *visitor) form(path string, form url.Values) *http.Request {
	v.t.Helper()
	r := v.request(http.MethodPost, path, form.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://"+r.Host) // as every browser does
	return r
}

// take sends a request of the browser, and returns the status and where it is led, or the page.
func (v *visitor) take(r *http.Request) (int, string) {
	v.t.Helper()
	a := v.send(v.byCookie(r))
	if at := a.header.Get("Location"); at != "" {
		return a.status, at
	}
	return a.status, string(a.body)
}

func (v *visitor) sees(path string, words ...string) {
	v.t.Helper()
	status, body := v.get(path)
	if status != http.StatusOK {
		v.t.Errorf("%s: status %d", path, status)
	}
	v.holds(path, body, words...)
}

// holds fails the test unless a page has all of these.
func (g *rig) holds(name, page string, words ...string) {
	g.t.Helper()
	for _, w := range words {
		if !strings.Contains(page, w) {
			g.t.Errorf("%s does not say %q:\n%s", name, w, page)
		}
	}
}

func confirmed(id string, pairs ...string) url.Values {
	form := url.Values{"id": {id}, "action": {"confirm"}}
	for i := 0; i < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	return form
}
