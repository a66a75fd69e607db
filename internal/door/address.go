package door

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// ErrExposed means that an address that others reach was asked for without
// TLS.
var ErrExposed = errors.New("listening beyond this machine needs TLS")

// Certificate loads the certificate that is in two PEM files. The result is nil
// where neither is named.
func Certificate(cert, key string) (*tls.Config, error) {
	if cert == "" && key == "" {
		return nil, nil
	}
	if cert == "" || key == "" {
		return nil, errors.New("TLS needs both a certificate and its key (--tls-cert, --tls-key)")
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// Loopback reports whether host, a name or an IP address, is this machine's
// alone.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// OwnHost reports whether host, the Host of a request, is a name of a server
// that listens on listen, a name or an IP address, with TLS or without (nil),
// and nothing but that: any port may follow, since a tunnel may have another. A
// page elsewhere can make its own name resolve to this machine (DNS
// rebinding), but it can do so neither with an IP address nor with localhost.
func OwnHost(host, listen string, t *tls.Config) bool {
	u, err := url.Parse("http://" + host)
	if err != nil || u.Host != host {
		return false
	}
	name, whole := strings.ToLower(u.Hostname()), net.JoinHostPort(u.Hostname(), u.Port())
	if strings.TrimSuffix(whole, ":") != host {
		return false
	}
	if Loopback(name) {
		return true
	}
	if t != nil && name != "" && t.Certificates[0].Leaf.VerifyHostname(name) == nil {
		return true
	}
	if name == "" || Loopback(listen) {
		return false
	}
	return net.ParseIP(name) != nil || name == strings.ToLower(listen)
}

// OwnOrigin reports whether a request comes from a page of this server, or from
// no page at all. Browsers name the origin of every request that changes
// something, and say where a request comes from in a header that no script can
// set.
func OwnOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || u.Host != r.Host {
			return false
		}
	}
	return http.NewCrossOriginProtection().Check(r) == nil
}
