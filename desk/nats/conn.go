package nats

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"mcp-askuser/desk"
	"mcp-askuser/internal/door"
)

// How long things may take.
const (
	requestTimeout = 2 * time.Second  // one request
	readTimeout    = 10 * time.Second // a read, with its repetitions: longer than a new leader takes
	writeTimeout   = 30 * time.Second // a write, until it is definite what became of it
)

// conn is the connection of a process, made when it is first needed.
type conn struct {
	urls        []string
	options     []natsgo.Option
	description string // describes the credential to people
	creds       string // see Options
	log         *slog.Logger
	// connectedFirst is called with a new connection, reconnected after each reconnect.
	connectedFirst func(*natsgo.Conn, Identity) error
	reconnected    func()
	guard          guard
	ignored        sync.Map // subjects that were logged as ignored

	connecting    sync.Mutex
	mu            sync.Mutex
	nc            *natsgo.Conn
	me            Identity
	connection    context.Context // ends at the next reconnect
	endConnection context.CancelFunc
	inFlight      map[*natsgo.Msg]context.CancelCauseFunc // requests under way
	connectedAt   time.Time                               // when the node was connected to
	probedAt      time.Time                               // when the node was last probed
	leaderFreshAt time.Time                               // see leaderIsFresh
}

// Identity is the name and the rights of a credential.
type Identity struct {
	Name    string
	Account string
	Human   bool     // may answer
	Any     bool     // may do everything: the operator, or a server without rules
	Allow   []string // subjects that the credential may write to
	Hear    []string // subjects that it may subscribe to
	Answers bool     // may publish to whatever subject the sender of a message names
}

// writer is the name in subjects.
func (me Identity) writer() string {
	if me.Human && !me.Any {
		return humanPrefix + me.Name
	}
	return me.Name
}

func newConn(o Options) (*conn, error) {
	c := &conn{creds: o.Creds, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)), inFlight: map[*natsgo.Msg]context.CancelCauseFunc{}}
	c.connection, c.endConnection = context.WithCancel(context.Background())
	var remote bool
	var faults []error
	for address := range strings.SplitSeq(o.URL, ",") {
		address = strings.TrimSpace(address)
		if !strings.Contains(address, "://") {
			address = "nats://" + address
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" {
			faults = append(faults, fmt.Errorf("%q: %w", o.URL, errAddress))
			break
		}
		remote = remote || u.Scheme == "tls" || !door.Loopback(u.Hostname())
		c.urls = append(c.urls, address)
	}
	if o.Creds != "" {
		credential, identity, err := readCreds(o.Creds)
		if err != nil {
			faults = append(faults, err)
		}
		c.options, c.description = append(c.options, credential), identity
	}
	if o.CA != "" {
		if _, err := os.Stat(o.CA); err != nil {
			faults = append(faults, fmt.Errorf("the file of the desk's authority: %w", err))
		}
		c.options = append(c.options, natsgo.RootCAs(o.CA))
	}
	if remote { // questions and answers leave this machine encrypted
		c.options = append(c.options, natsgo.Secure())
	}
	return c, errors.Join(faults...)
}

// readCreds makes an option of a credential: an nkey seed, or the JWT and seed
// that nsc writes. identity is what its file says of its owner.
func readCreds(file string) (credential natsgo.Option, identity string, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, "", fmt.Errorf("the credential for the desk: %w", err)
	}
	if line, _, ok := strings.Cut(string(data), "\n"); ok && strings.HasPrefix(line, "# ") {
		identity, _, _ = strings.Cut(line[2:], ".")
	}
	if strings.Contains(string(data), "NATS USER JWT") {
		return natsgo.UserCredentials(file), identity, nil
	}
	credential, err = natsgo.NkeyOptionFromSeed(file)
	if err != nil {
		return nil, "", fmt.Errorf("the credential for the desk, %s, holds no key of a user: %w", file, err)
	}
	return credential, identity, nil
}

// Close ends the connection.
func (c *conn) Close() {
	if nc := c.current(); nc != nil {
		nc.Close()
	}
}

// Node is the name of the node that we are connected to; empty for none.
func (c *conn) Node() string {
	if nc := c.current(); nc != nil && nc.IsConnected() {
		return nc.ConnectedServerName()
	}
	return ""
}

// connected returns the connection, which may be down at the moment.
func (c *conn) connected(ctx context.Context) (*natsgo.Conn, error) {
	if nc := c.current(); nc != nil {
		return nc, nil
	}
	done := make(chan error, 1)
	go func() { done <- c.connect() }()
	select {
	case err := <-done:
		return c.current(), err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// current is the connection; nil before the first.
func (c *conn) current() *natsgo.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nc
}

func (c *conn) connect() error {
	c.connecting.Lock()
	defer c.connecting.Unlock()
	if c.current() != nil {
		return nil
	}
	options := append(slices.Clone(c.options),
		natsgo.Name(strings.TrimSpace("mcp-askuser "+c.description)),
		natsgo.Timeout(requestTimeout),
		natsgo.MaxReconnects(-1),
		// At once, and then not all at the same moment.
		natsgo.ReconnectWait(100*time.Millisecond),
		natsgo.ReconnectJitter(200*time.Millisecond, 500*time.Millisecond),
		// Nothing is buffered: its caller has given up by then.
		natsgo.ReconnectBufSize(-1),
		natsgo.PingInterval(10*time.Second),
		natsgo.MaxPingsOutstanding(2),
		natsgo.IgnoreAuthErrorAbort(),
		natsgo.DisconnectErrHandler(func(_ *natsgo.Conn, err error) { c.endRequests(err) }),
		natsgo.ReconnectHandler(func(*natsgo.Conn) { c.handleReconnect() }),
		natsgo.ErrorHandler(func(_ *natsgo.Conn, _ *natsgo.Subscription, err error) { c.handleError(err) }),
	)
	nc, err := natsgo.Connect(strings.Join(c.urls, ","), options...)
	if err != nil {
		return c.explain(err)
	}
	me, err := identify(nc)
	if err == nil {
		err = c.connectedFirst(nc, me)
	}
	if err != nil {
		nc.Close()
		return c.explain(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nc, c.me, c.connectedAt = nc, me, time.Now()
	return nil
}

// explain returns the error of a failed connection, with its cause and what to do.
func (c *conn) explain(err error) error {
	at := strings.Join(c.urls, ",")
	switch {
	case errors.Is(err, natsgo.ErrAuthorization), errors.Is(err, natsgo.ErrAuthExpired), errors.Is(err, natsgo.ErrAuthRevoked):
		return fmt.Errorf("%w: %s does not know this credential (desk_creds)", desk.ErrDenied, at)
	case errors.Is(err, natsgo.ErrSecureConnWanted):
		return fmt.Errorf("%w: %s offers no TLS, without which nothing is sent beyond this machine", desk.ErrUnreachable, at)
	case errors.Is(err, desk.ErrFormat):
		return fmt.Errorf("%w, or of rights by hand that are not of this one: have mcp-askuser desk init write them anew, restart the nodes, and run mcp-askuser desk create", desk.ErrFormat)
	case strings.Contains(err.Error(), "x509"):
		return fmt.Errorf("%w: the certificate of %s is not one to trust (desk_ca): %w", desk.ErrUnreachable, at, err)
	}
	return fmt.Errorf("%w: %s: %w", desk.ErrUnreachable, at, err)
}

// ask publishes a request and returns the subscription that receives its answers.
func ask(nc *natsgo.Conn, subject, reply, request string) (*natsgo.Subscription, error) {
	answers, err := nc.SubscribeSync(reply)
	if err != nil {
		return nil, err
	}
	if err := nc.PublishRequest(subject, reply, []byte(request)); err != nil {
		_ = answers.Unsubscribe()
		return nil, err
	}
	return answers, nil
}

// identify asks the server for the rights of the credential. The name is that in the
// subjects which it may publish to. From then on inboxes are the credential's own:
// others can neither subscribe to them nor guess them.
func identify(nc *natsgo.Conn) (Identity, error) {
	wrong := func(err error) (Identity, error) {
		return Identity{}, fmt.Errorf("ask for the rights of this credential: %w", err)
	}
	answers, err := ask(nc, "$SYS.REQ.USER.INFO", "who."+nuid.Next(), "")
	if err != nil {
		return wrong(err)
	}
	defer func() { _ = answers.Unsubscribe() }()
	answer, err := answers.NextMsg(requestTimeout)
	if err != nil {
		if errors.Is(nc.LastError(), natsgo.ErrPermissionViolation) {
			err = desk.ErrFormat // which had no such subject
		}
		return wrong(err)
	}
	var info struct {
		Data struct {
			User        string `json:"user"`
			Account     string `json:"account"`
			Permissions *struct {
				Publish, Subscribe *struct {
					Allow []string `json:"allow"`
				}
				Responses *struct{} `json:"responses"`
			} `json:"permissions"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer.Data, &info); err != nil {
		return wrong(err)
	}
	me := Identity{Name: nameless, Account: info.Data.Account}
	if info.Data.Permissions == nil || info.Data.Permissions.Publish == nil {
		me.Any, me.Human = true, true
		return me, nil
	}
	me.Allow, me.Answers = info.Data.Permissions.Publish.Allow, info.Data.Permissions.Responses != nil
	if listen := info.Data.Permissions.Subscribe; listen != nil {
		me.Hear = listen.Allow
	}
	me.Any = slices.Contains(me.Allow, ">")
	me.Human = me.Any
	for _, subject := range me.Allow {
		parts := strings.Split(subject, ".")
		name := parts[len(parts)-1]
		if me.Any || !strings.HasPrefix(subject, root+areaAsk+".") || !desk.ValidName(name) {
			continue
		}
		if parts[len(parts)-2] == asHuman || isHuman(name) {
			me.Human = true
		}
		me.Name = strings.TrimPrefix(name, humanPrefix)
	}
	if me.Name == nameless && !me.Any {
		return me, desk.ErrFormat
	}
	if !me.Any {
		nc.Opts.InboxPrefix = "_INBOX." + me.writer() // read when the first inbox is made
	}
	return me, nil
}

// Identity connects, and returns the name and the rights of the credential.
func (c *conn) Identity(ctx context.Context) (Identity, error) {
	if _, err := c.connected(ctx); err != nil {
		return Identity{}, err
	}
	return c.identity(), nil
}

// awaitIdentity is Identity while nodes may be starting, or choosing a leader: it
// tries for as long as a read does.
func (c *conn) awaitIdentity(ctx context.Context) (me Identity, err error) {
	err = c.repeat(ctx, readTimeout, func(time.Duration) (bool, error) {
		me, err = c.Identity(ctx)
		return err == nil || errors.Is(err, desk.ErrDenied) || errors.Is(err, desk.ErrFormat), err
	})
	return me, err
}

func (c *conn) identity() Identity {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.me
}

// errAddress means that the address of a shared desk is not one.
var errAddress = errors.New("not an address of the form nats://HOST:PORT, of several nodes with commas between")

// errLost ends a request whose connection was lost.
var errLost = errors.New("the connection was lost")

// endRequests ends all requests under way: the client would wait for their timeouts.
func (c *conn) endRequests(err error) {
	c.log.Info("the connection to the desk was lost", "error", err)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, end := range c.inFlight {
		end(errLost)
	}
}

// handleReconnect wakes callers that wait for the connection.
func (c *conn) handleReconnect() {
	c.mu.Lock()
	c.endConnection()
	c.connection, c.endConnection = context.WithCancel(context.Background())
	c.connectedAt = time.Now()
	c.mu.Unlock()
	c.reconnected()
}

// untilReconnect is a context that ends at the next reconnect.
func (c *conn) untilReconnect() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.connection
}

// handleError ends the requests that the server does not permit. The server reports
// that as an error of the connection, and answers nothing to the request itself.
func (c *conn) handleError(err error) {
	found := regexp.MustCompile(`(?i)permissions violation for publish to "([^"]+)"`).FindStringSubmatch(err.Error())
	if found == nil {
		c.log.Warn("the desk says", "error", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for m, end := range c.inFlight {
		if m.Subject == found[1] {
			end(fmt.Errorf("%w: the server says: %w", desk.ErrDenied, err))
		}
	}
}

// request is one attempt, of so long at most, with a message that no other has
// under way. The error wraps ErrDenied where the
// server refuses it; after any other but natsgo.ErrNoResponders the request may have been carried out.
func (c *conn) request(ctx context.Context, wait time.Duration, m *natsgo.Msg) (*natsgo.Msg, error) {
	nc, err := c.connected(ctx)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	within, end := context.WithCancelCause(within)
	defer end(nil)
	c.mu.Lock()
	c.inFlight[m] = end
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.inFlight, m)
		c.mu.Unlock()
	}()
	call := nc.RequestMsgWithContext
	if strings.HasPrefix(m.Subject, aliveArea) {
		call = c.askHolder
	}
	answer, err := call(within, m)
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, natsgo.ErrReconnectBufExceeded), errors.Is(err, natsgo.ErrConnectionClosed): // not sent
		return nil, fmt.Errorf("%w: %s", desk.ErrUnreachable, strings.Join(c.urls, ","))
	case errors.Is(err, natsgo.ErrMaxPayload):
		return nil, fmt.Errorf("too large for the desk: its nodes take %d bytes", nc.MaxPayload())
	case within.Err() != nil && !errors.Is(context.Cause(within), context.DeadlineExceeded):
		return nil, context.Cause(within)
	}
	return nil, err
}

// repeat makes attempts until one is definite, or the limit has passed; then it
// returns the last error. The first attempt may take longer, as a node under load may
// need it, the others no longer than one would want to wait for a new leader.
func (c *conn) repeat(ctx context.Context, limit time.Duration, try func(time.Duration) (definite bool, err error)) error {
	began, wait := time.Now(), requestTimeout
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 250*time.Millisecond) {
		definite, err := try(wait)
		if definite {
			return err
		}
		c.leaveIfUseless(began)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if time.Since(began) > limit {
			return err
		}
		wait = requestTimeout / 2
		select {
		case <-time.After(pause/2 + rand.N(pause)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// MayAnswer returns an error that wraps desk.ErrDenied where the credential is
// an agent's.
func (c *conn) MayAnswer(ctx context.Context) error {
	me, err := c.Identity(ctx)
	if err == nil && !me.Human {
		err = fmt.Errorf("%w: it is that of the agent %s, which asks and never answers", desk.ErrDenied, me.Name)
	}
	return err
}

// Ping returns nil if the desk answers: its leader, not only a node.
func (c *conn) Ping(ctx context.Context) error {
	now, err := c.streamInfo(ctx, StreamDesk, map[string]string{})
	if err == nil && now.Cluster != nil && now.Cluster.Leader == "" {
		err = fmt.Errorf("%w: no node leads, as most of them do not run", desk.ErrUnreachable)
	}
	return err
}
