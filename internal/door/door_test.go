package door

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBearer(t *testing.T) {
	for header, want := range map[string]string{"Bearer x": "x", "bearer x": "x", "BEARER  x ": "x", "Basic x": "", "x": "", "": ""} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Authorization", header)
		if token, ok := Bearer(r); ok != (want != "") || ok && token != want {
			t.Errorf("%q shows %q, %v", header, token, ok)
		}
	}
}

func TestOwnHost(t *testing.T) {
	for _, tc := range []struct {
		listen, host string
		want         bool
	}{
		{"127.0.0.1", "127.0.0.1:8000", true},
		{"127.0.0.1", "localhost:9000", true}, // through a tunnel
		{"127.0.0.1", "LocalHost:8000", true},
		{"127.0.0.1", "[::1]:8000", true},
		{"127.0.0.1", "", false},
		{"127.0.0.1", "evil.example:8000", false},
		{"127.0.0.1", "192.0.2.7:8000", false},
		{"127.0.0.1", "2130706433:8000", false},
		{"127.0.0.1", "127.0.0.1:8000.evil.example", false},
		{"127.0.0.1", "127.0.0.1:8000@evil.example", false},
		{"127.0.0.1", "127.0.0.1:8000:9000", false},
		{"127.0.0.1", "localhost.evil.example:8000", false},
		{"127.0.0.1", "[::1]", true},
		{"127.0.0.1", "[::1].evil.example:8000", false},
		{"0.0.0.0", "192.0.2.7:8000", true},
		{"0.0.0.0", "[2001:db8::1]:8000", true},
		{"0.0.0.0", "evil.example:8000", false},
		{"box.lan", "box.lan:8000", true},
		{"box.lan", "evil.example:8000", false},
		{"0.0.0.0", ":8000", false},
	} {
		if got := OwnHost(&http.Request{Host: tc.host}, tc.listen, nil); got != tc.want {
			t.Errorf("listening on %s, host %q: %v", tc.listen, tc.host, got)
		}
	}
}

// A server with a certificate goes by its names, also where it listens on this
// machine alone.
func TestOwnHostOfACertificate(t *testing.T) {
	names := &x509.Certificate{DNSNames: []string{"desk.example"}, IPAddresses: []net.IP{net.IPv4(192, 0, 2, 7)}}
	config := &tls.Config{Certificates: []tls.Certificate{{Leaf: names}}}
	for host, want := range map[string]bool{
		"desk.example:8000": true, "192.0.2.7:8000": true, "localhost:8000": true,
		"desk.example": true, "192.0.2.8:8000": false, "evil.example:8000": false,
	} {
		if got := OwnHost(&http.Request{Host: host}, "127.0.0.1", config); got != want {
			t.Errorf("host %q: %v", host, got)
		}
	}
}

func TestOwnOrigin(t *testing.T) {
	const plain, secure, usual = "http://127.0.0.1:8000/mcp", "https://127.0.0.1:8000/mcp", "https://desk.example/mcp"
	for _, tc := range []struct {
		to, origin, site string
		want             bool
	}{
		{plain, "", "", true},
		{plain, "http://127.0.0.1:8000", "same-origin", true},
		{plain, "HTTP://127.0.0.1:8000", "same-origin", true},
		{plain, "http://127.0.0.1:8001", "", false},
		{plain, "http://127.0.0.1", "", false},
		{plain, "https://127.0.0.1:8000", "", false},
		{plain, "http://user@127.0.0.1:8000", "", false},
		{plain, "http://127.0.0.1:8000 http://evil.example", "", false},
		{plain, "http://evil.example", "", false},
		{plain, "null", "", false},
		{plain, "", "cross-site", false},
		{plain, "http://127.0.0.1:8000", "cross-site", false},
		{secure, "https://127.0.0.1:8000", "", true},
		{secure, "http://127.0.0.1:8000", "same-origin", false},
		{usual, "https://desk.example", "", true},
		{usual, "https://DESK.example", "same-origin", true},
		{usual, "http://desk.example", "same-origin", false},
	} {
		r := httptest.NewRequest(http.MethodPost, tc.to, nil)
		if tc.origin != "" {
			r.Header.Set("Origin", tc.origin)
		}
		if tc.site != "" {
			r.Header.Set("Sec-Fetch-Site", tc.site)
		}
		if got := OwnOrigin(r); got != tc.want {
			t.Errorf("to %s from origin %q, site %q: %v", tc.to, tc.origin, tc.site, got)
		}
	}
}

// A server closes what is more than its connections, until one of them ends.
func TestLimited(t *testing.T) {
	changed := limited(2)
	connect := func() (closed bool) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		defer theirs.Close()
		_ = ours.SetDeadline(time.Now())
		changed(theirs, http.StateNew)
		_, err := ours.Read(make([]byte, 1))
		if errors.Is(err, io.EOF) {
			changed(theirs, http.StateClosed) // as the server does
		}
		return errors.Is(err, io.EOF)
	}
	if first, second, third := connect(), connect(), connect(); first || second || !third {
		t.Errorf("closed: %t, %t, %t", first, second, third)
	}
	changed(nil, http.StateClosed)
	if connect() {
		t.Error("a place that became free is none")
	}
}
