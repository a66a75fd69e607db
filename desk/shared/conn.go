package shared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
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
	done := make(chan error, 1)
	go func() { done <- s.connect() }()
	select {
	case err := <-done:
		return s.nc.Load(), err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *Store) connect() error {
	s.connecting.Lock()
	defer s.connecting.Unlock()
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
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { s.lost(err) }),
		nats.ReconnectHandler(func(*nats.Conn) { s.ring("") }),
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

// exchange publishes a request, and returns the first answer to a subject of its own.
func exchange(ctx context.Context, nc *nats.Conn, subject, reply string, data []byte) (*nats.Msg, error) {
	answers, err := nc.SubscribeSync(reply)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answers.Unsubscribe() }()
	err = nc.PublishRequest(subject, reply, data)
	if err != nil {
		return nil, err
	}
	m, err := answers.NextMsgWithContext(ctx)
	if err == nil && noResponders(m) {
		return nil, nats.ErrNoResponders
	}
	return m, err
}

// noResponders reports whether the server says that no process listens to a subject.
func noResponders(m *nats.Msg) bool { return len(m.Data) == 0 && m.Header.Get("Status") == "503" }

// gather publishes a request, and calls each with the answers, until soon after the last.
func gather(ctx context.Context, nc *nats.Conn, subject, reply string, data []byte, each func(*nats.Msg)) error {
	answers, err := nc.SubscribeSync(reply)
	if err == nil {
		defer func() { _ = answers.Unsubscribe() }()
		err = nc.PublishRequest(subject, reply, data)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnreachable, err)
	}
	for wait := attempt; ; wait = attempt / 8 {
		within, cancel := context.WithTimeout(ctx, wait)
		m, err := answers.NextMsgWithContext(within)
		cancel()
		if err != nil || noResponders(m) {
			return context.Cause(ctx)
		}
		each(m)
	}
}

// lost ends the requests under way: the client would wait for their timeouts.
func (s *Store) lost(err error) {
	s.log.Info("the connection to the desk was lost", "error", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, end := range s.inFlight {
		end(nats.ErrDisconnected)
	}
}

// refused ends the requests that the server does not permit: it answers nothing to them, and
// reports an error of the connection.
func (s *Store) refused(err error) {
	found := regexp.MustCompile(`(?i)permissions violation for publish to "([^"]+)"`).FindStringSubmatch(err.Error())
	if found == nil {
		s.log.Warn("the desk reports an error", "error", err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for m, end := range s.inFlight {
		if m.Subject == found[1] {
			end(fmt.Errorf("%w: %w", store.ErrDenied, err))
		}
	}
}

// request makes one attempt. After an error that wraps ErrUnreachable the request may have been
// carried out.
func (s *Store) request(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	nc, err := s.connected(ctx)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	within, end := context.WithCancelCause(within)
	defer end(nil)
	s.mu.Lock()
	s.inFlight[m] = end
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.inFlight, m)
		s.mu.Unlock()
	}()
	answer, err := nc.RequestMsgWithContext(within, m)
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(context.Cause(within), store.ErrDenied):
		return nil, context.Cause(within)
	case errors.Is(err, nats.ErrMaxPayload):
		return nil, fmt.Errorf("too large for the desk: its nodes take %d bytes", nc.MaxPayload())
	}
	return nil, fmt.Errorf("%w: %s: %w", store.ErrUnreachable, s.home, err)
}

// repeat makes attempts until one ends with nil or a definite error, or the limit has passed.
func (s *Store) repeat(ctx context.Context, try func(context.Context) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	defer s.guarded()()
	passed := fmt.Errorf("%w: nothing was definite in %s", store.ErrUnreachable, limit)
	within, cancel := context.WithTimeoutCause(ctx, limit, passed)
	defer cancel()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		err := try(within)
		if ctx.Err() != nil && err != nil {
			return context.Cause(ctx)
		}
		set := errors.Is(err, errNoStream) || errors.Is(err, nats.ErrSecureConnWanted) // as they are set up
		if !errors.Is(err, store.ErrUnreachable) || set || within.Err() != nil || s.life.Err() != nil {
			return err
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)):
		case <-within.Done():
			return err
		}
	}
}
