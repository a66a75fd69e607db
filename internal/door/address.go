package door

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// ErrExposed means that the server is to listen on an address that other machines
// reach, without TLS.
var ErrExposed = errors.New("listening beyond this machine needs TLS")

// Certificate loads a certificate and its key from two PEM files. The result is
// nil where neither is named.
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

// Loopback reports whether host, a name or an IP address, is reached from this
// machine only.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// URL returns the address at which a listener is reached, with TLS or without (nil): under a
// name of its certificate, if that has one; on a listener for all interfaces one that another
// machine can reach.
func URL(ln net.Addr, t *tls.Config) *url.URL {
	u := &url.URL{Scheme: "http", Host: ln.String()}
	name := u.Hostname()
	if ip := net.ParseIP(name); ip != nil && ip.IsUnspecified() {
		name = reachableAddress()
	}
	if t != nil {
		u.Scheme = "https"
		names := t.Certificates[0].Leaf.DNSNames
		i := slices.IndexFunc(names, func(name string) bool { return !strings.Contains(name, "*") })
		if i >= 0 {
			name = names[i]
		}
	}
	u.Host = net.JoinHostPort(name, u.Port())
	return u
}

// reachableAddress returns the address of this machine from which others are reached; the
// loopback address where it has no network. Nothing is sent: 192.0.2.1 is for documentation.
func reachableAddress() string {
	conn, err := net.Dial("udp", "192.0.2.1:9") //nolint:noctx // it does not wait
	if err != nil {
		return "127.0.0.1"
	}
	defer func() { _ = conn.Close() }()
	return conn.LocalAddr().(*net.UDPAddr).IP.String()
}

// TakesPasskeys reports whether a browser uses passkeys on a page: it has a name, and TLS
// unless it is on the browser's machine.
func TakesPasskeys(page *url.URL) bool {
	host := page.Hostname()
	return host == "localhost" || page.Scheme == "https" && host != "" && net.ParseIP(host) == nil
}

// OwnHost reports whether the Host of a request is a name of the server, which
// listens on listen, a name or an IP address, with TLS or without (nil). These are
// its names:
//
//   - localhost and the loopback addresses;
//   - the names of its certificate;
//   - beyond this machine, any IP address, and what it listens on.
//
// The port may be another: that of a tunnel. A foreign page can make its own name
// resolve to this machine (DNS rebinding), but neither an IP address nor localhost,
// and it does not have the server's certificate.
func OwnHost(r *http.Request, listen string, t *tls.Config) bool {
	u, err := url.Parse("http://" + r.Host)
	if err != nil || u.Host != r.Host {
		return false
	}
	name, host := strings.ToLower(u.Hostname()), net.JoinHostPort(u.Hostname(), u.Port())
	if name == "" || strings.TrimSuffix(host, ":") != r.Host {
		return false
	}
	if Loopback(name) || t != nil && t.Certificates[0].Leaf.VerifyHostname(name) == nil {
		return true
	}
	return !Loopback(listen) && (net.ParseIP(name) != nil || name == strings.ToLower(listen))
}

// OwnOrigin reports whether a request was sent by a page of this server, or by no
// page: its Origin is the server's in scheme, host and port. Browsers name the
// origin of every request that changes something, and the relation of the sending
// page in a header that no script can set.
func OwnOrigin(r *http.Request) bool {
	own := "http://" + r.Host
	if r.TLS != nil {
		own = "https://" + r.Host
	}
	from := r.Header.Get("Origin")
	return (from == "" || strings.EqualFold(from, own)) && http.NewCrossOriginProtection().Check(r) == nil
}

// Bearer returns the token of a request, unchecked; ok is false without one.
func Bearer(r *http.Request) (token string, ok bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), strings.EqualFold(scheme, "Bearer")
}
