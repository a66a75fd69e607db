package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

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
	u := door.URL(ln, s.tls)
	if s.local {
		u.Host = net.JoinHostPort("localhost", u.Port())
	}
	u.Path, u.RawQuery = "/", url.Values{"token": {token}}.Encode()
	return u.String()
}
