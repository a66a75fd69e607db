package web

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificate writes a certificate for name and 127.0.0.1, and its key.
func certificate(t *testing.T, name string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"*." + name, name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "EC PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	pool.AddCert(must(x509.ParseCertificate(der)))
	return cert, key, pool
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// With a certificate the server may listen beyond this machine; it goes by the
// certificate's names, and its cookie stays on TLS.
func TestTLS(t *testing.T) {
	checkLeaks(t)
	cert, key, pool := certificate(t, "box.example")
	d := newDesk(t)
	server, err := New(Options{Desk: d, Token: token, Host: "0.0.0.0", TLSCert: cert, TLSKey: key})
	if err != nil {
		t.Fatal(err)
	}
	if !server.Exposed() {
		t.Error("not exposed")
	}
	g := serve(t, d, server)
	g.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	_, port, _ := net.SplitHostPort(g.addr.String())
	if got, want := server.Address(g.addr), "https://box.example:"+port+"/?token="+token; got != want {
		t.Errorf("address %q, want %q", got, want)
	}
	for host, want := range map[string]int{"box.example": 303, "a.box.example": 303, "192.0.2.7": 303, "127.0.0.1": 303, "evil.example": 403} {
		r := g.request(http.MethodGet, "/?token="+token, "")
		r.URL.Scheme, r.URL.Host, r.Host = "https", "127.0.0.1:"+port, host+":"+port
		a := g.send(r)
		if a.status != want {
			t.Errorf("host %s: %d, want %d", host, a.status, want)
		}
		if want == 303 && !strings.Contains(a.header.Get("Set-Cookie"), "Secure") {
			t.Errorf("cookie %q", a.header.Get("Set-Cookie"))
		}
	}
}

func TestAddress(t *testing.T) {
	server, err := New(Options{Host: "0.0.0.0", Insecure: true, Token: "a&b c"})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{ // by address listened on, the host in the address
		"127.0.0.1":   "127.0.0.1:8000",
		"::1":         "[::1]:8000",
		"192.0.2.7":   "192.0.2.7:8000",
		"2001:db8::1": "[2001:db8::1]:8000",
	}
	for ip, want := range tests {
		u, err := url.Parse(server.Address(&net.TCPAddr{IP: net.ParseIP(ip), Port: 8000}))
		if err != nil {
			t.Fatal(err)
		}
		if u.Host != want || u.Query().Get("token") != "a&b c" || u.Scheme != "http" {
			t.Errorf("%s: %s", ip, u)
		}
	}
	u, err := url.Parse(server.Address(&net.TCPAddr{IP: net.IPv4zero, Port: 8000}))
	if err != nil || net.ParseIP(u.Hostname()) == nil || net.ParseIP(u.Hostname()).IsUnspecified() {
		t.Errorf("on all interfaces: %s, %v", u, err)
	}
}

// Two starts have two tokens, long ones.
func TestTokenIsRandom(t *testing.T) {
	a, b := must(New(Options{})), must(New(Options{}))
	if a.keys.token == b.keys.token || len(a.keys.token) < 26 {
		t.Errorf("tokens %q and %q", a.keys.token, b.keys.token)
	}
}

// Where answers are signed the page's address names localhost, for which a browser tries both
// loopback addresses: the page has both, or none of that port.
func TestLocalhost(t *testing.T) {
	if ln, err := net.Listen("tcp", "[::1]:0"); err != nil {
		t.Skip("this machine has no IPv6: ", err)
	} else {
		ln.Close()
	}
	key := filepath.Join(t.TempDir(), "page.key")
	proves := func(o *Options) { o.Proves, o.KeyFile = true, key }
	g := start(t, proves)
	_, port, _ := net.SplitHostPort(g.addr.String())
	if got, want := g.server.Address(g.addr), "http://localhost:"+port+"/?token="+token; got != want {
		t.Errorf("the address is %s, want %s", got, want)
	}
	for _, host := range []string{"127.0.0.1", "[::1]", "localhost"} {
		r := g.request(http.MethodGet, "/api/questions", "")
		r.URL.Host = host + ":" + port
		r.Host = r.URL.Host
		if a := g.send(r); a.status != http.StatusOK {
			t.Errorf("%s: %d", host, a.status)
		}
	}
	g.stop()

	other, err := net.Listen("tcp", "[::1]:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	g = start(t, proves)
	if _, elsewhere, _ := net.SplitHostPort(g.addr.String()); elsewhere == port {
		t.Error("another program has one of the page's addresses")
	}
	g.stop()
	server, err := New(Options{Desk: newDesk(t), Proves: true, Port: other.Addr().(*net.TCPAddr).Port})
	if err != nil {
		t.Fatal(err)
	}
	if ln, err := server.Listen(t.Context()); err == nil {
		t.Errorf("it listens at %v, where another program has one of its addresses", ln.Addr())
	}
	if ln, err := net.Listen("tcp", "127.0.0.1:"+port); err != nil {
		t.Errorf("the other address was left open: %v", err)
	} else {
		ln.Close()
	}
	plain := start(t)
	if address := plain.server.Address(plain.addr); !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Errorf("without a passkey the address is %s", address)
	}
}
