package web

import (
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

// The time for which an invitation is good, and a cookie after the last visit.
const (
	invitationTime = time.Minute
	cookieTime     = 30 * 24 * time.Hour
)

// keys authenticate senders: the token and the invitations of this start, and cookies,
// signed with a key that outlasts it where there is a file for it.
type keys struct {
	token string // programs send it, and a browser redeems it for a cookie
	path  string // of the file; empty: none
	start []byte // the key without a file, or while that cannot be read: no earlier cookie is good then
	now   func() time.Time

	invitations sync.Map // tokens that work once; the values are the times until which they do
}

func newKeys(token, path string, now func() time.Time) (*keys, error) {
	k := &keys{token: token, path: path, start: keyfile.New(), now: now}
	if path == "" {
		return k, nil
	}
	return k, keyfile.Make(path)
}

// Revoke ends all sessions of the page, in every process: it replaces the key that
// cookies are signed with.
func Revoke(path string) error { return keyfile.Replace(path) }

// key is read each time: another process may have revoked it.
func (k *keys) key() []byte {
	if key, ok := keyfile.Read(k.path); ok {
		return key
	}
	return k.start
}

// port is the port of the page for a key in a file, so that bookmarks and tabs outlast a
// restart. It is below those that systems assign. 0 is any.
func (k *keys) port() int {
	if k.path == "" {
		return 0
	}
	return 20000 + int(binary.BigEndian.Uint16([]byte(k.sign("port", ""))))%10000
}

// invite returns a token that works once, for a time.
func (k *keys) invite() string {
	token := rand.Text()
	k.invitations.Store(token, k.now().Add(invitationTime))
	return token
}

// isToken reports whether token is the server's. The comparison takes the same time for
// every token.
func (k *keys) isToken(token string) bool {
	return hmac.Equal([]byte(token), []byte(k.token))
}

// redeemInvitation reports whether token is an invitation, which it ends.
func (k *keys) redeemInvitation(token string) bool {
	until, ok := k.invitations.LoadAndDelete(token)
	return ok && k.now().Before(until.(time.Time))
}

func (k *keys) sign(purpose, text string) string {
	mac := hmac.New(sha256.New, k.key())
	mac.Write([]byte(purpose + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// cookieName differs between servers with different keys: a browser sends all cookies of a
// host to each of its ports.
func (k *keys) cookieName() string { return "askuser-" + k.sign("cookie", "")[:8] }

// cookie returns the value of a cookie: until when it is good, and the signature of that.
func (k *keys) cookie() string {
	until := strconv.FormatInt(k.now().Add(cookieTime).Unix(), 10)
	return until + "." + k.sign("visit", until)
}

// hasCookie reports whether a request has a cookie that is good.
func (k *keys) hasCookie(r *http.Request) bool {
	c, err := r.Cookie(k.cookieName())
	if err != nil {
		return false
	}
	text, signature, _ := strings.Cut(c.Value, ".")
	until, err := strconv.ParseInt(text, 10, 64)
	return err == nil && hmac.Equal([]byte(signature), []byte(k.sign("visit", text))) && k.now().Unix() < until
}

// setCookie gives a browser a cookie that is good from now on.
func (k *keys) setCookie(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure needs TLS
		Name:     k.cookieName(),
		Value:    k.cookie(),
		Path:     "/",
		MaxAge:   int(cookieTime.Seconds()),
		HttpOnly: true,
		Secure:   r.TLS != nil,
		SameSite: http.SameSiteStrictMode,
	})
}
