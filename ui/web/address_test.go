package web

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/internal/fatal"
)

// With a certificate the server may listen beyond this machine; it goes by the
// certificate's names, and its cookie stays on TLS.
func TestTLS(t *testing.T) {
	own := httptest.NewTLSServer(nil) // whose certificate names example.com and 127.0.0.1
	defer own.Close()
	pair, dir, pool := own.TLS.Certificates[0], t.TempDir(), x509.NewCertPool()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]},
		key:  {Type: "PRIVATE KEY", Bytes: must(x509.MarshalPKCS8PrivateKey(pair.PrivateKey))},
	} {
		fatal.If(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
	pool.AddCert(own.Certificate())
	g := start(t, func(o *Options) { o.Host, o.TLSCert, o.TLSKey = "0.0.0.0", cert, key })
	if !g.server.Exposed() {
		t.Error("not exposed")
	}
	g.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	_, port, _ := net.SplitHostPort(g.addr.String())
	if got, want := g.server.Address(), "https://example.com:"+port+"/?token="+token; got != want {
		t.Errorf("address %q, want %q", got, want)
	}
	for host, want := range map[string]int{"example.com": 303, "192.0.2.7": 303, "evil.example": 403} {
		r := g.request(http.MethodGet, "/?token="+token, "")
		r.URL.Scheme, r.URL.Host, r.Host = "https", "127.0.0.1:"+port, host+":"+port
		a := g.send(r)
		if a.status != want || want == 303 && !strings.Contains(a.header.Get("Set-Cookie"), "Secure") {
			t.Errorf("host %s: %d, want %d, cookie %q", host, a.status, want, a.header.Get("Set-Cookie"))
		}
	}
}

// Where answers are signed the page's address names localhost, for which a browser tries both
// loopback addresses: the page has both, or none of that port.
func TestLocalhost(t *testing.T) {
	free, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6: ", err)
	}
	_ = free.Close()
	key := filepath.Join(t.TempDir(), "page.key")
	proves := func(o *Options) { o.Proves, o.KeyFile = true, key }
	g := start(t, proves)
	_, port, _ := net.SplitHostPort(g.addr.String())
	if got, want := g.server.Address(), "http://localhost:"+port+"/?token="+token; got != want {
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
	fatal.If(t, err)
	defer other.Close()
	if _, elsewhere, _ := net.SplitHostPort(start(t, proves).addr.String()); elsewhere == port {
		t.Error("another program has one of the page's addresses")
	}
	taken := Options{Desk: newDesk(t), Proves: true, Port: other.Addr().(*net.TCPAddr).Port}
	if server, err := Listen(t.Context(), taken); err == nil {
		t.Errorf("it listens at %s, where another program has one of its addresses", server.Address())
	}
	ln, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatalf("the other address was left open: %v", err)
	}
	_ = ln.Close()
}
