package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"mcp-askuser/internal/door"
)

// Exposed reports whether the server listens where others can reach it.
func (s *Server) Exposed() bool { return !door.Loopback(s.Host) }

// Listen opens the listener that the options ask for. Passkeys work only where the page has a
// name: where they are used, a page of this machine alone listens on both addresses of
// localhost, so that no other program gets what is meant for it.
func (s *Server) Listen(ctx context.Context) (net.Listener, error) {
	keys, _ := s.Desk.Keys(nil) // signing reports that they cannot be read
	s.local = s.tls == nil && !s.Exposed() && (s.Proves || len(keys.Passkeys) > 0)
	ln, err := s.listen(ctx, cmp.Or(s.Port, s.keys.port()))
	if err != nil && s.Port == 0 {
		ln, err = s.listen(ctx, 0) // taken: perhaps by another page of the same key
	}
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	return ln, nil
}

func (s *Server) listen(ctx context.Context, port int) (net.Listener, error) {
	// TCP keep-alive, on by default, finds clients that disappeared: streams need no
	// heartbeat of their own.
	var lc net.ListenConfig
	if !s.local {
		return lc.Listen(ctx, "tcp", net.JoinHostPort(s.Host, strconv.Itoa(port)))
	}
	ln, err := lc.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	s.second, err = lc.Listen(ctx, "tcp", net.JoinHostPort("::1", strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)))
	if err == nil {
		return ln, nil
	}
	if free, none := lc.Listen(ctx, "tcp", "[::1]:0"); none == nil {
		return nil, errors.Join(err, ln.Close(), free.Close())
	}
	return ln, nil // no IPv6
}

// Address returns the address of the page at a listener, with the token. On a
// listener for all interfaces it names one that another device can reach.
func (s *Server) Address(ln net.Addr) string { return s.address(ln, s.keys.token) }

// Invite returns the address of the page with a token that opens it once and
// soon. It is for the browser's command line, which other users of the machine
// can read.
func (s *Server) Invite(ln net.Addr) string { return s.address(ln, s.keys.invite(invitationTime)) }

func (s *Server) address(ln net.Addr, token string) string {
	u := url.URL{Scheme: "http", Host: ln.String(), Path: "/", RawQuery: url.Values{"token": {token}}.Encode()}
	if tcp, ok := ln.(*net.TCPAddr); ok {
		u.Host = net.JoinHostPort(s.name(tcp.IP), strconv.Itoa(tcp.Port))
	}
	if s.tls != nil {
		u.Scheme = "https"
	}
	return u.String()
}

// name is the name or address by which a browser reaches the server that listens on ip.
func (s *Server) name(ip net.IP) string {
	if s.tls != nil {
		for _, name := range s.tls.Certificates[0].Leaf.DNSNames {
			if !strings.Contains(name, "*") {
				return name
			}
		}
	}
	if s.local {
		return "localhost"
	}
	if ip.IsUnspecified() {
		return reachableAddress()
	}
	return ip.String()
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
