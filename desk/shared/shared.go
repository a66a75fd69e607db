// Package shared keeps the records of a desk that many machines use: rows on NATS JetStream,
// on one stock nats-server or three, see [store.Store]. The documents of a row are messages of
// one stream (subjects.go), one message a subject, and the leader of the stream decides which
// outcome is first. The server checks by subject who may write a document (subjects.go). Whose
// outcome counts, the desk decides from the signature in it.
//
// A call is repeated until its result is definite, for at most ten seconds: a lost
// acknowledgement is no lost write, so a repeated write reads first whether it is there. A
// leader that is cut off from the others believes for ten seconds that it leads, and a client
// cannot tell which node answers it: what a node has is true, what it lacks counts only by a
// list from a node that says with it that it hears most nodes (wire.go).
//
// The package knows rows, and must not know what a question is. It connects at the first call.
package shared

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/nats-io/nuid"
	"golang.org/x/sync/singleflight"

	"mcp-askuser/desk/store"
	"mcp-askuser/internal/door"
)

// Options locate a desk, and the credential for it.
type Options struct {
	URL   string // nats:// or tls://, of one node or several, with commas between
	Creds string // file with the credential, an nkey seed; empty for none
	CA    string // file with the certificates that the nodes' descend from; empty for the system's
	Log   *slog.Logger
}

// Store is a [store.Store] on a shared desk.
type Store struct {
	urls    []string
	home    string        // the host of the first node
	pair    nkeys.KeyPair // of the credential; nil without one
	options []nats.Option
	log     *slog.Logger
	token   string          // of this process as a holder
	life    context.Context // ends with Close
	end     context.CancelFunc

	attempts singleflight.Group        // to connect
	nc       atomic.Pointer[nats.Conn] // nil before the first connection
	held     sync.Map                  // ids of the rows that this process answers for
	active   atomic.Int32              // calls that are under way, or wait

	mu       sync.Mutex // guards what follows
	me       Identity
	inFlight map[*nats.Msg]context.CancelCauseFunc
	bells    map[chan struct{}]bool // calls that wait

	listing sync.Mutex
	humans  Humans // as read at listed
	listed  time.Time
}

var _ store.Store = (*Store)(nil)

// errAddress means that an address of a shared desk is not one.
var errAddress = errors.New("not an address of the form nats://HOST:PORT, of several nodes with commas between")

// Open returns the store of a shared desk. It reads the files of the options, and connects at
// the first call.
func Open(o Options) (*Store, error) {
	s := &Store{
		log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)), token: nuid.Next(),
		inFlight: map[*nats.Msg]context.CancelCauseFunc{}, bells: map[chan struct{}]bool{},
	}
	s.life, s.end = context.WithCancel(context.Background())
	err := s.setAddresses(o.URL)
	if o.Creds != "" {
		err = errors.Join(err, s.setCreds(o.Creds))
	}
	if o.CA != "" {
		_, missing := os.Stat(o.CA)
		if missing != nil {
			err = errors.Join(err, fmt.Errorf("the certificates of the desk: %w", missing))
		}
		s.options = append(s.options, nats.RootCAs(o.CA))
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// setAddresses reads the addresses. Beyond this machine all is encrypted.
func (s *Store) setAddresses(all string) error {
	encrypted := false
	for address := range strings.SplitSeq(all, ",") {
		address = strings.TrimSpace(address)
		if !strings.Contains(address, "://") {
			address = "nats://" + address
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" {
			return fmt.Errorf("%q: %w", all, errAddress)
		}
		encrypted = encrypted || u.Scheme == "tls" || !door.Loopback(u.Hostname())
		s.urls = append(s.urls, address)
		s.home = cmp.Or(s.home, u.Hostname())
	}
	if encrypted {
		s.options = append(s.options, nats.Secure())
	}
	return nil
}

// setCreds reads the credential in a file.
func (s *Store) setCreds(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("the credential for the desk: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o027 != 0 { // a group may read it: that of a container
		return fmt.Errorf("the credential for the desk can be read by other users of this machine: chmod 600 %s", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("the credential for the desk: %w", err)
	}
	s.pair, err = nkeys.ParseDecoratedUserNKey(data)
	if err != nil {
		return fmt.Errorf("the credential for the desk, %s, holds no key of a user: %w", file, err)
	}
	key, err := s.pair.PublicKey()
	s.options = append(s.options, nats.Nkey(key, s.pair.Sign))
	return err
}

// Close ends the connection, as the death of the process would.
func (s *Store) Close() error {
	s.end()
	nc := s.nc.Load()
	if nc != nil {
		nc.Close()
	}
	return nil
}
