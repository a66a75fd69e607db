package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mcp-askuser/desk"
	"mcp-askuser/desk/proof"
	"mcp-askuser/internal/door"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/words"
)

// The limits of one server.
const (
	maxBody   = 1 << 20         // bytes of a request's body
	maxHeader = 16 << 10        // bytes of a request's header
	idleTime  = 2 * time.Minute // between two requests of a connection
)

// timeouts is how long a server waits for a slow client.
type timeouts struct {
	header   time.Duration // to send its header
	request  time.Duration // to send all of its request, files included
	response time.Duration // to take a response, or one event of a stream
	grace    time.Duration // to take the responses under way when the server ends
}

// ErrStopped is the cause with which the presenter of questions asked over HTTP is closed
// when their server ends.
var ErrStopped = errors.New("the web server has stopped")

// Options are what a server needs. Desk, Presenter and Decode are required.
type Options struct {
	Desk *desk.Desk
	Log  *slog.Logger // nil: silent
	// Decode reads a call form; dropped is what of it cannot be asked, and why. A
	// question.Violations as its error lists every fault.
	Decode func([]byte) (request desk.Request, dropped []string, err error)

	Host            string // IP address or name to listen on; empty: 127.0.0.1
	Port            int    // 0: a free one
	TLSCert, TLSKey string // PEM files, both or none
	Insecure        bool   // listen beyond this machine without TLS

	// Presenter presents questions that are asked over HTTP. The caller closes it.
	Presenter *present.Presenter

	// FrontEnd returns the name of the front end with this token, through which the
	// user answers; false for any other token. Nil: no front ends.
	FrontEnd func(token string) (name string, ok bool)

	// Command says that a command serves the page, and not the server that asks: where an
	// agent started it, answers are a program's.
	Command bool

	// Proves says that answers are signed here even if there is no passkey yet. AddPasskey
	// trusts one that the user registers on the page; nil: none is registered.
	Proves     bool
	AddPasskey func(context.Context, proof.Passkey) error

	Token     string           // that clients must send; empty: a random one
	KeyFile   string           // has the key that cookies are signed with; empty: they end with the server
	Directory string           // the project for which HTTP clients ask, unless they name theirs
	Language  words.Language   // of the page; none that the program speaks: that of each browser
	Now       func() time.Time // nil: time.Now
}

// Server is the page and the API over one desk.
type Server struct {
	Options
	tls       *tls.Config    // nil: plain HTTP
	byAgent   bool           // an agent started the command that serves the page
	local     bool           // the page's address names localhost, where passkeys work
	listeners []net.Listener // two where the page is localhost: on both of its addresses
	timeouts  timeouts

	keys *keys
	// answering is held while a program answers one question of a set: of two answers to the last
	// two questions, the second one commits the set.
	answering   sync.Mutex
	registering sync.Mutex // held while a passkey is registered
	challenge   string     // of the registration of a passkey, in each tab

	visits  chan struct{} // has a value after a page has connected
	handler http.Handler  // all pages and the API, with all checks
}

// Listen returns a server that listens, and serves nothing yet. The error wraps
// door.ErrExposed where the options would show the questions to others.
func Listen(ctx context.Context, o Options) (*Server, error) {
	s, err := newServer(o)
	if err == nil {
		err = s.listen(ctx)
	}
	return s, err
}

func newServer(o Options) (*Server, error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Host = cmp.Or(o.Host, "127.0.0.1")
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{
		Options: o,
		timeouts: timeouts{
			header: 5 * time.Second, request: 2 * time.Minute, response: 30 * time.Second, grace: 2 * time.Second,
		},
		visits:    make(chan struct{}, 1),
		challenge: proof.Challenge([]byte(rand.Text())),
	}
	s.byAgent = o.Command && desk.StartedByAgent()
	keyFile := o.KeyFile
	if s.byAgent {
		keyFile = "" // its cookies must not open the user's own pages
	}
	var err error
	s.keys, err = newKeys(cmp.Or(o.Token, rand.Text()), keyFile, o.Now)
	if err != nil {
		return nil, err
	}
	s.tls, err = door.Certificate(o.TLSCert, o.TLSKey)
	if err != nil {
		return nil, err
	}
	if s.Exposed() && s.tls == nil && !s.Insecure {
		return nil, fmt.Errorf("%w: others can reach %s. Give a certificate and its key (--tls-cert, --tls-key), "+
			"or say that plain HTTP is meant (--insecure)", door.ErrExposed, s.Host)
	}
	s.handler = headers(s.guard(s.mux()))
	return s, nil
}

// Serve serves until ctx ends, which is its ordinary end and no error. It returns when every
// response and every stream has ended. A server serves once.
func (s *Server) Serve(ctx context.Context) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, ln := range s.listeners {
		all.Go(func() error { return s.serve(ctx, ln) })
	}
	err := all.Wait()
	if err != nil {
		return fmt.Errorf("web: %w", err)
	}
	return nil
}

func (s *Server) serve(ctx context.Context, ln net.Listener) error {
	// Streams and long waits must end with the server, other requests under
	// way should not: theirs is a context of its own.
	requests, end := context.WithCancel(context.WithoutCancel(ctx))
	server := &http.Server{
		Handler:           s.handler,
		TLSConfig:         s.tls,
		ReadHeaderTimeout: s.timeouts.header,
		ReadTimeout:       s.timeouts.request,
		WriteTimeout:      s.timeouts.request + s.timeouts.response,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ErrorLog:          slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	server.RegisterOnShutdown(end)
	err := door.Serve(ctx, server, ln, s.timeouts.grace)
	end()
	return err
}
