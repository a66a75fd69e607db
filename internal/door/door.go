// Package door guards everything that this program serves over HTTP: which
// addresses it may listen on, which names and origins are the server's own, and
// how many connections clients may have open.
//
// It imports no other package of the program, and checks no tokens.
package door

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// maxConnections is how many connections a server keeps open: those of some thousand clients, and
// more than an idle client can hold, whose connections end with the times of the server.
const maxConnections = 12288

// Serve serves a listener's connections, with TLS where the server has it, until ctx
// ends; responses may take for the grace period then. It closes the listener, and
// returns nil after the end of ctx.
func Serve(ctx context.Context, s *http.Server, ln net.Listener, grace time.Duration) error {
	s.ConnState = limited(maxConnections)
	failed := make(chan error, 1)
	go func() {
		if s.TLSConfig != nil {
			failed <- s.ServeTLS(ln, "", "")
		} else {
			failed <- s.Serve(ln)
		}
	}()
	select {
	case err := <-failed:
		return errors.Join(err, s.Close())
	case <-ctx.Done():
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if s.Shutdown(within) != nil {
		_ = s.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// limited closes each new connection of a server that has most of them open.
func limited(most int64) func(net.Conn, http.ConnState) {
	var open atomic.Int64
	return func(c net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			if open.Add(1) > most {
				_ = c.Close()
			}
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		case http.StateActive, http.StateIdle:
		}
	}
}
