// Package nats is the store of a desk that many machines share: NATS JetStream,
// on one stock nats-server or three.
//
//	ask.pending.<id>                   the set and its asker, written once
//	ask.end.<id>.<role>.<name>         the outcome: that one exists is the decision
//	ask.end.<id>.collected.<name>      it has reached its asker; keeps its place for a day
//	ask.drafts.<id>, ask.showing.<id>  the last one wins, for a day
//	ask.askers.<id>, ask.present.<n>   locks: who holds it, as they answer under alive.<holder>
//	ask.mark.<mark>.<name>             the ids in an index
//	past.docs.<month>.<id>             record and outcome, in a stream of their own
//	past.months.<month>                there is something in this month
//	said.<id>.<name>                   what humans said, copied by the server alone
//	rang.<id>.<role>.<name>            rings once an outcome is stored
//
// Reads are answered by the leader of the stream, never by a follower: a stream
// with direct gets, or a key-value bucket, may answer with what was. A leader that
// is cut off from the others goes on for up to ten seconds, in which its clients
// read what was before; whoever writes finds out and leaves it. Creates
// name the sequence that they expect, and are repeated with the same bytes until
// it is definite what became of them. A server that dies has every wait for it
// end at once. The roles are subjects, which the server holds against each
// credential. No decision reads a clock.
//
// The package imports desk, whose Store it is, internal/door and the client of
// NATS. It knows of records only their ids, writes no server, and manages no
// streams but where the operator says so ([Store.Make]).
package nats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nuid"

	"mcp-askuser/desk"
)

// The streams. The operator makes them, see [Store.Make].
const (
	StreamDesk = "ASK"      // what is open, and what ended lately
	StreamPast = "ASK_PAST" // the archive
	StreamSaid = "ASK_SAID" // copies of what humans said
)

// maxSize is the largest document, in bytes; the nodes are set up to take it
// with its envelope.
const maxSize = 4 << 20

// How long things are kept.
const (
	keepDraft  = 24 * time.Hour   // what is being typed, and where a record is shown
	keepPlace  = 24 * time.Hour   // of an outcome that was collected
	keepGone   = time.Second      // of what was deleted; the least that the server takes
	keepMarks  = desk.SessionKeep // from the last one
	collected  = "collected"      // in the place of a role
	subjectEnd = "ask.end."
)

// Options say where the desk is.
type Options struct {
	URL   string // nats:// or tls://, of one node or several, with commas between
	Creds string // file with the credential: an nkey seed, or a JWT and its seed; empty for what the URL says
	CA    string // file with the certificates that the nodes' must descend from; empty for those of the system
	Log   *slog.Logger
}

// Store is a desk.Store on JetStream. It connects when it is first used, and is
// safe for concurrent use by any number of goroutines and processes.
type Store struct {
	*conn
	locks holder

	seed  maphash.Seed
	turns [256]sync.Mutex // see turn

	months sync.Map // that are known to be in the index
}

var (
	_ desk.Store  = (*Store)(nil)
	_ desk.Reader = (*Store)(nil)
)

// Open returns the store at o.URL. It does no I/O but to read the files. The
// error names what is wrong with the options.
func Open(o Options) (*Store, error) {
	c, err := newConn(o)
	if err != nil {
		return nil, err
	}
	s := &Store{conn: c, seed: maphash.MakeSeed()}
	s.locks.name, s.locks.held = nuid.Next(), map[string]lock{}
	c.reconnected = func() { go s.recheckLocks() }
	return s, nil
}

// Create implements desk.Store.
func (s *Store) Create(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	if err := desk.Admit(ctx, id, desk.ValidID); err != nil {
		return err
	}
	if kind != desk.KindArchive {
		return s.create(ctx, creation{stream: StreamDesk, subject: subjectOf(kind, id), data: data})
	}
	month := desk.MonthOf(id)
	indexed := make(chan error, 1)
	go func() { indexed <- s.addMonth(ctx, month) }()
	err := s.create(ctx, creation{stream: StreamPast, subject: pastSubject(id), data: data})
	return errors.Join(err, <-indexed)
}

// addMonth has listings find a month of the archive.
func (s *Store) addMonth(ctx context.Context, month string) error {
	if _, known := s.months.Load(month); known {
		return nil
	}
	err := s.create(ctx, creation{stream: StreamPast, subject: "past.months." + month, data: []byte(month)})
	if err == nil {
		s.months.Store(month, true)
	}
	return err
}

// Decide implements desk.Store. The subject has the role and the name of the
// caller, and the server holds both against the credential: an agent that
// answers is refused there, and not by us.
func (s *Store) Decide(ctx context.Context, id string, role desk.Role, data []byte) error {
	if err := desk.Admit(ctx, id, desk.ValidID); err != nil {
		return err
	}
	me, err := s.Identity(ctx)
	if err != nil {
		return err
	}
	return s.create(ctx, creation{stream: StreamDesk, subject: subjectEnd + id + "." + string(role) + "." + me.Name, filter: subjectEnd + id + ".>", data: data})
}

// Put implements desk.Store.
func (s *Store) Put(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	if err := desk.Admit(ctx, id, desk.ValidID); err != nil {
		return err
	}
	return s.put(ctx, subjectOf(kind, id), data, keepDraft)
}

// Get implements desk.Store.
func (s *Store) Get(ctx context.Context, kind desk.Kind, id string) ([]byte, error) {
	d := s.get(ctx, kind, id)
	return d.Data, d.Err
}

func (s *Store) get(ctx context.Context, kind desk.Kind, id string) desk.Document {
	if err := desk.Admit(ctx, id, desk.ValidID); err != nil {
		return desk.Document{Err: err}
	}
	stream, subject := StreamDesk, subjectOf(kind, id)
	switch kind {
	case desk.KindReplies:
		subject = subjectEnd + id + ".>"
	case desk.KindArchive:
		stream, subject = StreamPast, pastSubject(id)
	default:
	}
	m, err := s.last(ctx, stream, subject)
	switch {
	case err != nil:
		return desk.Document{Err: err}
	case !m.there():
		return desk.Document{Err: desk.ErrNotFound}
	case len(m.Data) > maxSize:
		return desk.Document{Err: fmt.Errorf("%w: %s is larger than any of ours", desk.ErrDamaged, id)}
	}
	d := desk.Document{Data: m.Data}
	if kind == desk.KindReplies {
		_, by := parseEnd(m.Subject)
		d.By = &by
	}
	if kind == desk.KindArchive {
		d.By = new(s.whoSaid(ctx, id))
	}
	return d
}

// whoSaid returns the human whose outcome of a record the server has taken; the
// zero Author if none did. The archive is the asker's word, this is not.
func (s *Store) whoSaid(ctx context.Context, id string) desk.Author {
	said := func() (message, error) { return s.first(ctx, StreamSaid, "said."+id+".*") }
	written := func() (message, error) { return s.last(ctx, StreamDesk, subjectEnd+id+"."+string(desk.RoleHuman)+".*") }
	// The server copies a moment later; after that the outcome may be swept, and
	// that between our two looks.
	for _, look := range []func() (message, error){said, written, said} {
		if m, err := look(); err == nil && m.there() {
			name := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
			return desk.Author{Role: desk.RoleHuman, Name: strings.TrimPrefix(name, nameless)}
		}
	}
	return desk.Author{}
}

// atOnce is how many requests a process has under way.
const atOnce = 64

// Read implements desk.Reader: one trip. That the leader may look at them in
// another order is no harm: the place of an outcome stays taken when it is
// collected, so that one who finds it free knows that the record was open then.
func (s *Store) Read(ctx context.Context, keys ...desk.Key) []desk.Document {
	out := make([]desk.Document, len(keys))
	if many <= len(keys) && !slices.ContainsFunc(keys, func(k desk.Key) bool { return k.Kind != desk.KindPending || !desk.ValidID(k.ID) }) {
		ids := make([]string, len(keys))
		for i, key := range keys {
			ids[i] = key.ID
		}
		found, err := s.lasts(ctx, desk.KindPending, ids)
		for i, m := range found {
			switch {
			case err != nil:
				out[i].Err = err
			case !m.there():
				out[i].Err = desk.ErrNotFound
			default:
				out[i].Data = m.Data
			}
		}
		return out
	}
	each(len(keys), func(i int) { out[i] = s.get(ctx, keys[i].Kind, keys[i].ID) })
	return out
}

// each calls f for 0 to n-1, some at a time.
func each(n int, f func(int)) {
	var workers sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i := range n {
		places <- struct{}{}
		workers.Go(func() {
			defer func() { <-places }()
			f(i)
		})
	}
	workers.Wait()
}

// Delete implements desk.Store. What is deleted is replaced with a message that
// says so, which those who watch are told, and which goes a second later.
func (s *Store) Delete(ctx context.Context, kind desk.Kind, id string) error {
	if err := desk.Admit(ctx, id, desk.ValidID); err != nil {
		return err
	}
	stream, subject, filter := StreamDesk, subjectOf(kind, id), ""
	keep := keepGone
	switch kind {
	case desk.KindReplies:
		me, err := s.Identity(ctx)
		if err != nil {
			return err
		}
		subject, filter, keep = subjectEnd+id+"."+collected+"."+me.Name, subjectEnd+id+".>", keepPlace
	case desk.KindArchive:
		stream, subject = StreamPast, pastSubject(id)
	default:
	}
	for tries := 0; ; tries++ {
		m, err := s.last(ctx, stream, cmp.Or(filter, subject))
		if err != nil {
			return err
		}
		if !m.there() {
			return nil
		}
		if kind == desk.KindDrafts && !s.whoAmI().Human {
			return nil // an agent writes none, not even that there is none; it goes by itself
		}
		err = s.create(ctx, creation{stream: stream, subject: subject, filter: filter, gone: true, ttl: keep, over: m.Seq})
		if !errors.Is(err, desk.ErrExists) || tries == 8 { // somebody changed it in between
			return err
		}
	}
}

// List implements desk.Store. The leader says which subjects there are.
func (s *Store) List(ctx context.Context, kind desk.Kind, in desk.Range) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if ctx.Err() != nil {
			yield("", context.Cause(ctx))
			return
		}
		if kind != desk.KindArchive {
			ids, err := s.listDesk(ctx, kind)
			yieldDown(ids, err, in, yield)
			return
		}
		months, err := s.names(ctx, StreamPast, "past.months.*")
		if err != nil {
			yield("", err)
			return
		}
		for _, month := range in.Months(months) {
			ids, err := s.names(ctx, StreamPast, "past.docs."+month+".*")
			if !yieldDown(ids, err, in, yield) {
				return
			}
		}
	}
}

// listDesk returns the ids of documents of a kind, in no order.
func (s *Store) listDesk(ctx context.Context, kind desk.Kind) ([]string, error) {
	if kind != desk.KindReplies {
		return s.names(ctx, StreamDesk, subjectOf(kind, "*"))
	}
	subjects, err := s.subjects(ctx, StreamDesk, subjectEnd+">")
	there, done := map[string]bool{}, map[string]bool{}
	var said []string
	for _, subject := range subjects {
		id, by := parseEnd(subject)
		if there[id] = true; by.Role == collected {
			done[id] = true
		} else {
			said = append(said, subject)
		}
	}
	s.sweep(said, done)
	var ids []string
	for id := range there {
		if !done[id] {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// sweep removes outcomes of this credential that were collected: nobody else
// may. The server's copies of what humans said stay.
func (s *Store) sweep(said []string, done map[string]bool) {
	var old []string
	me := "." + s.whoAmI().Name
	for _, subject := range said {
		if id, _ := parseEnd(subject); done[id] && strings.HasSuffix(subject, me) && len(old) < 256 {
			old = append(old, subject)
		}
	}
	if len(old) == 0 || !s.sweeping.TryLock() {
		return
	}
	go func() {
		defer s.sweeping.Unlock()
		for _, subject := range old {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			err := s.sweepOne(ctx, subject)
			cancel()
			if err != nil {
				return // the next listing tries again
			}
		}
	}()
}

func (s *Store) sweepOne(ctx context.Context, subject string) error {
	if id, by := parseEnd(subject); by.Role == desk.RoleHuman {
		if copied, err := s.first(ctx, StreamSaid, "said."+id+".*"); err != nil || !copied.there() {
			return err // once its copy is there; see whoSaid
		}
	}
	m, err := s.last(ctx, StreamDesk, subject)
	if err != nil || !m.there() {
		return err
	}
	return s.remove(ctx, &m)
}

func yieldDown(ids []string, err error, in desk.Range, yield func(string, error) bool) bool {
	if err != nil {
		yield("", err)
		return false
	}
	slices.Sort(ids)
	for _, id := range slices.Backward(ids) {
		if in.Has(id) && desk.ValidID(id) && !yield(id, nil) {
			return false
		}
	}
	return true
}

// names returns the last tokens of the subjects that match a filter.
func (s *Store) names(ctx context.Context, stream, filter string) ([]string, error) {
	names, err := s.subjects(ctx, stream, filter)
	for i, subject := range names {
		names[i] = subject[strings.LastIndexByte(subject, '.')+1:]
	}
	return names, err
}

func subjectOf(kind desk.Kind, id string) string { return "ask." + string(kind) + "." + id }

func pastSubject(id string) string { return "past.docs." + desk.MonthOf(id) + "." + id }

// parseEnd reads the subject of an outcome.
func parseEnd(subject string) (id string, by desk.Author) {
	rest, ok := strings.CutPrefix(subject, subjectEnd)
	parts := strings.Split(rest, ".")
	if !ok || len(parts) != 3 {
		return "", desk.Author{}
	}
	if parts[2] == nameless {
		parts[2] = ""
	}
	return parts[0], desk.Author{Role: desk.Role(parts[1]), Name: parts[2]}
}
