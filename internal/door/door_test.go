package door

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A server has the names of this machine, of its certificate, also where it listens on this machine
// alone, and beyond this machine any address and what it listens on. The port may be a tunnel's.
func TestOwnHost(t *testing.T) {
	leaf := &x509.Certificate{DNSNames: []string{"desk.example"}, IPAddresses: []net.IP{net.IPv4(192, 0, 2, 7)}}
	certificate := &tls.Config{Certificates: []tls.Certificate{{Leaf: leaf}}}
	for _, tc := range []struct {
		listen string
		tls    *tls.Config
		hosts  string
		want   bool
	}{
		{"127.0.0.1", nil, "127.0.0.1:8000 localhost:9000 LocalHost:8000 [::1]:8000 [::1]", true},
		{"127.0.0.1", nil, "evil.example:8000 192.0.2.7:8000 2130706433:8000 localhost.evil.example:8000", false},
		{"127.0.0.1", nil, "127.0.0.1:8000.evil.example 127.0.0.1:8000@evil.example 127.0.0.1:8000:9000 " +
			"[::1].evil.example:8000", false},
		{"127.0.0.1", certificate, "desk.example:8000 desk.example 192.0.2.7:8000 localhost:8000", true},
		{"127.0.0.1", certificate, "192.0.2.8:8000 evil.example:8000", false},
		{"0.0.0.0", nil, "192.0.2.7:8000 [2001:db8::1]:8000", true},
		{"0.0.0.0", nil, "evil.example:8000 :8000", false},
		{"box.lan", nil, "box.lan:8000", true},
		{"box.lan", nil, "evil.example:8000", false},
	} {
		for host := range strings.FieldsSeq(tc.hosts) {
			if got := OwnHost(&http.Request{Host: host}, tc.listen, tc.tls); got != tc.want {
				t.Errorf("listening on %s, certificate %t, host %q: %v", tc.listen, tc.tls != nil, host, got)
			}
		}
	}
	if OwnHost(&http.Request{}, "127.0.0.1", nil) {
		t.Error("no name is the server's")
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
		{plain, "http://127.0.0.1:8001", "", false},
		{plain, "https://127.0.0.1:8000", "", false},
		{plain, "http://evil.example", "", false},
		{plain, "null", "", false},
		{plain, "", "cross-site", false},
		{plain, "http://127.0.0.1:8000", "cross-site", false},
		{secure, "https://127.0.0.1:8000", "", true},
		{secure, "http://127.0.0.1:8000", "same-origin", false},
		{usual, "https://desk.example", "", true},
		{usual, "https://DESK.example", "same-origin", true},
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

// The address that is printed for a listener can be opened: it has a name of the certificate, and
// never the address of all interfaces.
func TestURL(t *testing.T) {
	all, here := &net.TCPAddr{IP: net.IPv6unspecified, Port: 8443}, &net.TCPAddr{IP: net.IPv6loopback, Port: 8765}
	leaf := &x509.Certificate{DNSNames: []string{"*.lan", "desk.lan"}}
	certificate := &tls.Config{Certificates: []tls.Certificate{{Leaf: leaf}}}
	if got := URL(all, certificate).String(); got != "https://desk.lan:8443" {
		t.Error(got)
	}
	if got := URL(here, nil).String(); got != "http://[::1]:8765" {
		t.Error(got)
	}
	if got := URL(all, nil).String(); strings.Contains(got, "[::]") || !strings.HasSuffix(got, ":8443") {
		t.Error(got)
	}
}

// Half a certificate is none, and neither is an empty file.
func TestCertificate(t *testing.T) {
	for _, files := range [][2]string{{"cert.pem", ""}, {"", "key.pem"}, {os.DevNull, os.DevNull}} {
		if _, err := Certificate(files[0], files[1]); err == nil {
			t.Errorf("%q were accepted", files)
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
