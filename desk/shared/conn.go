package shared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"mcp-askuser/desk/store"
)

// How long things may take.
const (
	dialTimeout = time.Second      // a node that accepts and is silent is left after this
	attempt     = 2 * time.Second  // one request
	limit       = 10 * time.Second // a call, with its repetitions
)

// Identity is the name and the rights of a credential.
type Identity struct {
	Name  string `json:"name"`  // empty for none
	Human bool   `json:"human"` // may answer
	Any   bool   `json:"any"`   // may do everything: the operator, or a server without rules
}

// writer is the name in subjects.
func (me Identity) writer() string {
	switch {
	case me.Name == "":
		return nameless
	case me.Human:
		return humanPrefix + me.Name
	}
	return me.Name
}

// Identity connects, and returns the name and the rights of the credential.
func (s *Store) Identity(ctx context.Context) (me Identity, err error) {
	err = s.repeat(ctx, func(ctx context.Context) error {
		_, err := s.connected(ctx)
		return err
	})
	return s.identity(), err
}

func (s *Store) identity() Identity {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.me
}

// connected returns the connection, which may be down at the moment.
func (s *Store) connected(ctx context.Context) (*nats.Conn, error) {
	nc := s.nc.Load()
	if nc != nil {
		return nc, nil
	}
	connecting := s.attempts.DoChan("", func() (any, error) { return nil, s.connect() }) // one for all calls
	select {
	case ended := <-connecting:
		return s.nc.Load(), ended.Err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *Store) connect() error {
	if s.nc.Load() != nil {
		return nil
	}
	if s.life.Err() != nil {
		return fmt.Errorf("%w: it was closed", store.ErrUnreachable)
	}
	nc, err := nats.Connect(strings.Join(s.urls, ","), append(slices.Clone(s.options),
		nats.Name("mcp-askuser"),
		nats.Timeout(dialTimeout),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(100*time.Millisecond),
		nats.ReconnectJitter(200*time.Millisecond, 500*time.Millisecond),
		nats.ReconnectBufSize(-1), // nothing is sent late: its caller has given up by then
		nats.PingInterval(2*time.Second),
		nats.MaxPingsOutstanding(2),
		nats.IgnoreAuthErrorAbort(),
		nats.IgnoreDiscoveredServers(),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			s.lost(err)
			s.ring(nil) // so that watchers learn it
		}),
		nats.ReconnectHandler(func(*nats.Conn) { s.ring(nil) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { s.refused(err) }),
	)...)
	if err != nil {
		return s.explain(err)
	}
	me, err := identify(nc)
	if err == nil {
		err = s.answerAlive(nc, me)
	}
	if err != nil {
		nc.Close()
		return s.explain(err)
	}
	s.mu.Lock()
	s.me = me
	s.mu.Unlock()
	s.nc.Store(nc)
	go s.guard(nc)
	if s.life.Err() != nil {
		nc.Close()
	}
	return nil
}

// explain returns the error of a failed connection, with its cause and what to do.
func (s *Store) explain(err error) error {
	at := strings.Join(s.urls, ",")
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		return fmt.Errorf("%w: %s does not know this credential (desk_creds)", store.ErrDenied, at)
	case errors.Is(err, nats.ErrPermissionViolation):
		return fmt.Errorf("%w: the rights of this credential are those of an earlier version: "+
			"have the operator run mcp-askuser desk init again", store.ErrDenied)
	case errors.Is(err, nats.ErrSecureConnWanted):
		const text = "%w: %s offers no TLS, without which nothing is sent beyond this machine (%w)"
		return fmt.Errorf(text, store.ErrUnreachable, at, err)
	case strings.Contains(err.Error(), "x509"):
		return fmt.Errorf("%w: the certificate of %s is not trusted (desk_ca): %w", store.ErrUnreachable, at, err)
	}
	return fmt.Errorf("%w: %s: %w", store.ErrUnreachable, at, err)
}

// identify asks the server for the rights of the credential: its name is in the subjects that
// it may publish to. From then on inboxes are the credential's own, which others can neither
// subscribe to nor guess.
func identify(nc *nats.Conn) (me Identity, err error) {
	within, cancel := context.WithTimeout(context.Background(), attempt)
	defer cancel()
	answer, err := exchange(within, nc, "$SYS.REQ.USER.INFO", "who."+nuid.Next(), nil)
	if err != nil && errors.Is(nc.LastError(), nats.ErrPermissionViolation) {
		err = nc.LastError()
	}
	if err != nil {
		return me, fmt.Errorf("ask for the rights of this credential: %w", err)
	}
	var info struct {
		Data struct {
			Permissions *struct {
				Publish *struct {
					Allow []string `json:"allow"`
				} `json:"publish"`
			} `json:"permissions"`
		} `json:"data"`
	}
	err = json.Unmarshal(answer.Data, &info)
	if err != nil {
		return me, fmt.Errorf("read the rights of this credential: %w", err)
	}
	rights := info.Data.Permissions
	if rights == nil || rights.Publish == nil || slices.Contains(rights.Publish.Allow, ">") {
		return Identity{Any: true, Human: true}, nil
	}
	for _, subject := range rights.Publish.Allow {
		d, ok := parse(subject)
		if ok && d.kind == "q" {
			me.Name, me.Human = strings.CutPrefix(d.owner, humanPrefix)
		}
	}
	if me.Name == "" {
		return me, nats.ErrPermissionViolation
	}
	nc.Opts.InboxPrefix = "_INBOX." + me.writer() // read when the first inbox is made
	return me, nil
}
