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

// listen opens the listeners that the options ask for. Passkeys work only where the page has a
// name: where they are used, a page of this machine alone listens on both addresses of
// localhost, so that no other program gets what is meant for it.
func (s *Server) listen(ctx context.Context) error {
	keys, _ := s.Desk.Keys(nil) // signing reports that they cannot be read
	s.local = s.tls == nil && !s.Exposed() && (s.Proves || len(keys.Passkeys) > 0)
	err := s.listenAt(ctx, cmp.Or(s.Port, s.keys.port()))
	if err != nil && s.Port == 0 {
		err = s.listenAt(ctx, 0) // taken: perhaps by another page of the same key
	}
	if err != nil {
		return fmt.Errorf("web: %w", err)
	}
	return nil
}

func (s *Server) listenAt(ctx context.Context, port int) error {
	// TCP keep-alive, on by default, finds clients that disappeared: streams need no
	// heartbeat of their own.
	var lc net.ListenConfig
	host := s.Host
	if s.local {
		host = "127.0.0.1"
	}
	first, err := lc.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	s.listeners = []net.Listener{first}
	if !s.local {
		return nil
	}
	second, err := lc.Listen(ctx, "tcp", net.JoinHostPort("::1", strconv.Itoa(first.Addr().(*net.TCPAddr).Port)))
	if err == nil {
		s.listeners = append(s.listeners, second)
		return nil
	}
	if free, none := lc.Listen(ctx, "tcp", "[::1]:0"); none == nil {
		return errors.Join(err, first.Close(), free.Close())
	}
	return nil // no IPv6
}

// Address returns the address of the page, with the token. On a listener for all interfaces it
// names one that another device can reach.
func (s *Server) Address() string { return s.address(s.keys.token) }

// Invite returns the address of the page with a token that opens it once and
// soon. It is for the browser's command line, which other users of the machine
// can read.
func (s *Server) Invite() string { return s.address(s.keys.invite()) }

func (s *Server) address(token string) string {
	u := door.URL(s.listeners[0].Addr(), s.tls)
	if s.local {
		u.Host = net.JoinHostPort("localhost", u.Port())
	}
	u.Path, u.RawQuery = "/", url.Values{"token": {token}}.Encode()
	return u.String()
}
