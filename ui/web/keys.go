package web

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcp-askuser/internal/keyfile"
)

// keys are what opens the page: the token and the invitations of this start,
// and cookies, signed with a key that outlasts it where there is a file for it.
type keys struct {
	token string // what programs show, and what a browser trades for its cookie
	path  string // of the file; empty: none
	start []byte // the key without a file, or while it cannot be read: nothing from before is good then
	now   func() time.Time

	mu      sync.Mutex
	invites map[string]time.Time // tokens that work once, and until when
}

func newKeys(token, path string, now func() time.Time) (*keys, error) {
	k := &keys{token: token, path: path, start: keyfile.New(), now: now, invites: map[string]time.Time{}}
	if path == "" {
		return k, nil
	}
	return k, keyfile.Make(path)
}

// Revoke ends all visits of the page, now and in every process: it puts another
// key in the place of the one that cookies are signed with.
func Revoke(path string) error { return keyfile.Replace(path) }

// key is read each time: another process may have revoked it.
func (k *keys) key() []byte {
	if key, ok := keyfile.Read(k.path); ok {
		return key
	}
	return k.start
}

// port is where the page of a lasting key is to be found, if it is free:
// bookmarks and tabs outlast a restart. It lies below those that systems hand
// out by themselves. 0 is any.
func (k *keys) port() int {
	if k.path == "" {
		return 0
	}
	return 20000 + int(binary.BigEndian.Uint16([]byte(k.sign("port", ""))))%10000
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
	mac := hmac.New(sha256.New, k.key())
	mac.Write([]byte(purpose + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// cookie is the name of ours. It tells the servers of one machine apart, to
// which a browser sends all cookies of the host, whatever the port; those of
// one key are the same page.
func (k *keys) cookie() string { return "askuser-" + k.sign("cookie", "")[:8] }

// session returns the value of a cookie: an id, until when it is good, and
// the signature of both.
func (k *keys) session(id string) string {
	text := id + "." + strconv.FormatInt(k.now().Add(visitTime).Unix(), 10)
	return text + "." + k.sign("session", text)
}

// verify returns the id in a cookie that is good.
func (k *keys) verify(cookie string) (id string, ok bool) {
	dot := max(strings.LastIndexByte(cookie, '.'), 0)
	text, signature := cookie[:dot], strings.TrimPrefix(cookie[dot:], ".")
	id, end, _ := strings.Cut(text, ".")
	until, err := strconv.ParseInt(end, 10, 64)
	ok = hmac.Equal([]byte(signature), []byte(k.sign("session", text)))
	return id, ok && err == nil && k.now().Unix() < until
}

// visit returns the id of the browser that sent a request, if it may come in.
func (k *keys) visit(r *http.Request) (id string, ok bool) {
	c, err := r.Cookie(k.cookie())
	if err != nil {
		return "", false
	}
	return k.verify(c.Value)
}

// remember gives a browser its cookie, or a new time to the one it has; an
// empty id is a new one.
func (k *keys) remember(w http.ResponseWriter, r *http.Request, id string) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure needs TLS
		Name:     k.cookie(),
		Value:    k.session(cmp.Or(id, rand.Text())),
		Path:     "/",
		MaxAge:   int(visitTime.Seconds()),
		HttpOnly: true,
		Secure:   r.TLS != nil,
		SameSite: http.SameSiteStrictMode,
	})
}
