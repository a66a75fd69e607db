package door

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"strings"
	"testing"
)

// The address that is printed for a listener can be opened: it has a name of the certificate, and
// never the address of all interfaces.
func TestURL(t *testing.T) {
	all, here := &net.TCPAddr{IP: net.IPv6unspecified, Port: 8443}, &net.TCPAddr{IP: net.IPv6loopback, Port: 8765}
	leaf := &x509.Certificate{DNSNames: []string{"*.lan", "desk.lan"}}
	cert := &tls.Config{Certificates: []tls.Certificate{{Leaf: leaf}}}
	if got := URL(all, cert).String(); got != "https://desk.lan:8443" {
		t.Error(got)
	}
	if got := URL(here, nil).String(); got != "http://[::1]:8765" {
		t.Error(got)
	}
	if got := URL(all, nil).String(); strings.Contains(got, "[::]") || !strings.HasSuffix(got, ":8443") {
		t.Error(got)
	}
}
