// Package nats is the store of a desk that many machines share: NATS JetStream,
// on one stock nats-server or three.
//
// subjects.go has the subjects. Beside them there are
//
//	said.<owner>.<id>.<name>         humans' outcomes, copied by the server alone
//	rang.<owner>.<id>.<role>.<name>  rings once an outcome is stored
//	alive.<name>.<holder>            answered by the process that holds locks
//
// The leader of the stream answers reads, never a follower: a stream with direct gets,
// or a key-value bucket, may answer with an earlier state. A leader that is cut off from
// the others serves reads for up to ten seconds. Documents that it has are true, as they
// never change; that there is none counts only from a leader that hears most nodes. A
// listing or a mark may still be of an earlier state there; a client that writes finds
// out and leaves it. Creates name the sequence that they
// expect, and are repeated with the same bytes until the result is definite. When a
// server dies every request to it ends at once. Owners, writers and roles are part of
// the subjects, which the server checks against each credential; a document that is not
// under its writer's own name does not count, and is logged. No decision reads a clock of
// another machine. The operator's rules list the keys of the humans' credentials: each
// outcome of a human is signed with one, which desk checks. The passkeys with which
// humans sign besides are written by each human alone.
//
// The package imports desk, whose Store it is, desk/proof, internal/door and the client of NATS.
// It knows of records only their ids, is no server, and changes streams for the operator
// alone ([Store.Make]).
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
	"golang.org/x/sync/errgroup"

	"mcp-askuser/desk"
)

// The streams. The operator makes them, see [Store.Make].
const (
	StreamDesk  = "ASK"       // open records, and those that ended lately
	StreamPast  = "ASK_PAST"  // the archive
	StreamHuman = "ASK_SAID"  // copies of humans' outcomes
	StreamFiles = "ASK_FILES" // files of answers
)

// maxSize is the largest document, in bytes; the nodes are set up to take it
// with its envelope.
const maxSize = 4 << 20

// How long things are kept.
const (
	keepDraft   = 24 * time.Hour   // drafts, and where a record is shown
	keepPlace   = 24 * time.Hour   // the place of an outcome that was collected
	keepDeleted = time.Second      // a delete marker; the least that the server takes
	keepForeign = desk.SessionKeep // a delete marker beside another writer's document, until that one is swept
	keepMarks   = desk.SessionKeep // marks, since the last change
)

// Options locate a desk, and the credential for it.
type Options struct {
	URL   string // nats:// or tls://, of one node or several, with commas between
	Creds string // file with the credential: an nkey seed, or a JWT and its seed; empty for that of the URL
	CA    string // file with the certificates that the nodes' must descend from; empty for those of the system
	Log   *slog.Logger
}

// Store is a desk.Store on JetStream. It connects when it is first used, and is
// safe for concurrent use by any number of goroutines and processes.
type Store struct {
	*conn
	locks holder

	seed     maphash.Seed
	turns    [256]sync.Mutex // see indexMutex
	sweeping sync.Mutex      // held by the one sweep

	ruling sync.Mutex // guards rules
	rules  desk.Rules // as read at ruled
	ruled  time.Time

	months sync.Map // that are known to be in the index
	owners sync.Map // names of owners of records, by their marks in ids
}

var (
	_ desk.Store  = (*Store)(nil)
	_ desk.Reader = (*Store)(nil)
	_ desk.Shared = (*Store)(nil)
)

// Open returns the store at o.URL. It does no I/O but to read the files. The
// error names the faults of the options.
func Open(o Options) (*Store, error) {
	c, err := newConn(o)
	if err != nil {
		return nil, err
	}
	s := &Store{conn: c, seed: maphash.MakeSeed()}
	s.locks.name = nuid.Next()
	c.connectedFirst = s.answerForLocks
	c.reconnected = func() { go s.recheckLocks() }
	return s, nil
}

// Place implements desk.Shared. The owner of a record is this credential, or the owner
// of the earlier record that it reopens.
func (s *Store) Place(ctx context.Context, id, earlier string) (string, error) {
	me, err := s.awaitIdentity(ctx)
	if err != nil {
		return id, err
	}
	owner := me.writer()
	if earlier != "" {
		if owner, err = s.owner(ctx, earlier); err != nil {
			return id, err
		}
	}
	return desk.Owned(id, owner), nil
}

// owner returns the owner of a record. Its id has only a mark of the owner.
func (s *Store) owner(ctx context.Context, id string) (string, error) {
	me, err := s.awaitIdentity(ctx)
	if err != nil {
		return "", err
	}
	if desk.OwnedBy(id, me.writer()) {
		return me.writer(), nil
	}
	if name, known := s.owners.Load(desk.OwnerIn(id)); known {
		return name.(string), nil
	}
	for stream, filter := range map[string]string{
		StreamDesk: root + "ask.*.*." + id + ".>",
		StreamPast: place{areaPast, kindDocs, "*", desk.MonthOf(id) + "." + id}.filter(),
	} {
		if _, err := s.places(ctx, stream, filter); err != nil {
			return "", err
		}
	}
	if name, known := s.owners.Load(desk.OwnerIn(id)); known {
		return name.(string), nil
	}
	return "", desk.ErrNotFound
}

// placeOf is where a document of a record is.
func (s *Store) placeOf(ctx context.Context, kind desk.Kind, id string) (place, error) {
	if err := desk.Admit(ctx, id, desk.ValidID); err != nil {
		return place{}, err
	}
	owner, err := s.owner(ctx, id)
	switch p := (place{areaAsk, string(kind), owner, id}); {
	case err != nil:
		return place{}, err
	case kind == desk.KindArchive:
		return place{areaPast, kindDocs, owner, desk.MonthOf(id) + "." + id}, nil
	case kind == desk.KindReplies:
		p.kind = kindEnd
		return p, nil
	default:
		return p, nil
	}
}

// ownSubject returns this credential's subject in a place; ErrDenied where it has none.
// The server would refuse it too.
func (s *Store) ownSubject(p place) (subject string, err error) {
	me := s.identity()
	if !me.Human && p.owner != me.writer() {
		return "", fmt.Errorf("%w: it belongs to %s", desk.ErrDenied, p.owner)
	}
	return p.by(me.writer()), nil
}

// ownPlaceOf is placeOf, with this credential's subject there.
func (s *Store) ownPlaceOf(ctx context.Context, kind desk.Kind, id string) (p place, subject string, err error) {
	if p, err = s.placeOf(ctx, kind, id); err == nil {
		subject, err = s.ownSubject(p)
	}
	return p, subject, err
}

// Create implements desk.Store. Listings find the month of an archived record first.
func (s *Store) Create(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	p, subject, err := s.ownPlaceOf(ctx, kind, id)
	if err == nil && kind == desk.KindArchive {
		err = s.addMonth(ctx, p.owner, desk.MonthOf(id))
	}
	if err != nil {
		return err
	}
	return s.create(ctx, creation{place: p, subject: subject, data: data})
}

// addMonth has listings find a month of the archive.
func (s *Store) addMonth(ctx context.Context, owner, month string) error {
	p := place{areaPast, kindMonths, owner, month}
	if _, known := s.months.Load(p); known {
		return nil
	}
	err := s.create(ctx, creation{place: p, subject: p.by(s.identity().writer()), data: []byte(month)})
	if err == nil {
		s.months.Store(p, true)
	}
	return err
}

// Decide implements desk.Store. The subject has the role and the name of the
// caller. In the role of the asker the owner alone ends a record; a human who
// does so for another is a human.
func (s *Store) Decide(ctx context.Context, id string, role desk.Role, data []byte) error {
	p, err := s.placeOf(ctx, desk.KindReplies, id)
	if err != nil {
		return err
	}
	me := s.identity()
	switch own := p.owner == me.writer(); {
	case role == desk.RoleHuman && !me.Human, !own && !isHuman(me.writer()):
		return fmt.Errorf("%w: it is that of %s, and the question belongs to %s; humans answer, and owners withdraw", desk.ErrDenied, me.writer(), p.owner)
	case !own:
		role = desk.RoleHuman
	}
	return s.create(ctx, creation{place: p, subject: p.prefix() + endBy(string(role), me.writer()), data: data})
}

// Put implements desk.Store.
func (s *Store) Put(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	_, subject, err := s.ownPlaceOf(ctx, kind, id)
	if err != nil {
		return err
	}
	return s.put(ctx, subject, data, keepDraft)
}

// Get implements desk.Store.
func (s *Store) Get(ctx context.Context, kind desk.Kind, id string) ([]byte, error) {
	d := s.Read(ctx, desk.Key{Kind: kind, ID: id})[0]
	return d.Data, d.Err
}

func (s *Store) get(ctx context.Context, kind desk.Kind, id string) (d desk.Document) {
	p, err := s.placeOf(ctx, kind, id)
	if err != nil {
		return desk.Document{Err: err}
	}
	m, err := s.last(ctx, p)
	switch {
	case err != nil:
	case !m.exists() && kind == desk.KindArchive: // where a record is looked for last
		asked, ended := place{areaAsk, string(desk.KindPending), p.owner, id}, place{areaAsk, kindEnd, p.owner, id}
		err = cmp.Or(s.intact(ctx, StreamPast, p.filter()), s.intact(ctx, StreamDesk, asked.filter()), s.intact(ctx, StreamDesk, ended.filter()), desk.ErrNotFound)
	case !m.exists():
		err = desk.ErrNotFound
	case len(m.Data) > maxSize:
		err = fmt.Errorf("%w: %s is larger than any of ours", desk.ErrDamaged, id)
	case kind == desk.KindReplies:
		d.By, err = s.author(ctx, id, m.By)
	case kind == desk.KindArchive:
		var outcome message
		d.By = &desk.Author{}
		if outcome, err = s.humanOutcome(ctx, p.owner, id); outcome.exists() {
			d.HumanOutcome = outcome.Data
			d.By, err = s.author(ctx, id, outcome.By)
		}
	}
	if err != nil {
		return desk.Document{Err: err}
	}
	d.Data = m.Data
	return d
}

// humanOutcome returns the outcome of a human which the server has taken for a record;
// the zero message if none did. The archive is its writer's word, this is not.
func (s *Store) humanOutcome(ctx context.Context, owner, id string) (message, error) {
	copied := func() (message, error) { return s.humanCopy(ctx, owner, id) }
	written := func() (message, error) {
		return s.lastOn(ctx, StreamDesk, place{areaAsk, kindEnd, owner, id}.by(asHuman+".*"))
	}
	// The server copies a moment later; after that the outcome may be swept, and
	// that between our two looks.
	for _, look := range []func() (message, error){copied, written, copied} {
		if m, err := look(); err != nil || m.exists() {
			return m, err
		}
	}
	return message{}, s.intact(ctx, StreamHuman, copyFilter(owner, id))
}

// humanCopy returns the server's first copy of a human's outcome.
func (s *Store) humanCopy(ctx context.Context, owner, id string) (message, error) {
	for from := uint64(1); ; {
		m, err := s.message(ctx, StreamHuman, map[string]any{"seq": from, "next_by_subj": copyFilter(owner, id)})
		if err != nil || m.Seq == 0 {
			return m, err
		}
		_, by, ok := parse(place{areaAsk, kindEnd, owner, id}.by(asHuman + m.Subject[strings.LastIndexByte(m.Subject, '.'):]))
		if m.By = by; ok && m.exists() {
			return m, nil
		}
		from = m.Seq + 1
	}
}

// copyFilter matches the server's copies of humans' outcomes to a record.
func copyFilter(owner, id string) string { return "said." + owner + "." + id + ".*" }

// Path implements desk.Store: no document is a file of this machine.
func (s *Store) Path(desk.Kind, string) string { return "" }

// maxInFlight is how many requests a process has under way.
const maxInFlight = 64

// Read implements desk.Reader, with all requests at once. The leader may read in
// another order, which does no harm: the place of an outcome stays taken when it is
// collected: a reader that finds it free knows that the record was open then.
func (s *Store) Read(ctx context.Context, keys ...desk.Key) []desk.Document {
	out := make([]desk.Document, len(keys))
	err := s.repeat(ctx, readTimeout, func(time.Duration) (bool, error) {
		began := time.Now()
		_ = each(len(keys), func(i int) error {
			out[i] = s.get(ctx, keys[i].Kind, keys[i].ID)
			return nil
		})
		if !slices.ContainsFunc(out, absent) || s.leaderIsFresh(ctx, began) {
			return true, nil
		}
		return false, fmt.Errorf("%w: the node may be cut off from the others", desk.ErrUnreachable)
	})
	for i := range out {
		if err != nil && absent(out[i]) {
			out[i].Err = err
		}
	}
	return out
}

func absent(d desk.Document) bool { return errors.Is(d.Err, desk.ErrNotFound) }

// each calls f for 0 to n-1, some at a time, and returns the first error.
func each(n int, f func(int) error) error {
	var calls errgroup.Group
	calls.SetLimit(maxInFlight)
	for i := range n {
		calls.Go(func() error { return f(i) })
	}
	return calls.Wait()
}

// Delete implements desk.Store. It stores a delete marker, which watches receive and
// which expires: after a second, or, where another credential has written the document,
// once that has been swept.
func (s *Store) Delete(ctx context.Context, kind desk.Kind, id string) error {
	p, subject, err := s.ownPlaceOf(ctx, kind, id)
	switch {
	case errors.Is(err, desk.ErrNotFound):
		return nil
	case err != nil:
		return err
	case kind == desk.KindDrafts && !s.identity().Human:
		return nil // an agent may not write here, and drafts expire
	case kind == desk.KindReplies:
		subject = p.prefix() + endBy(collected, s.identity().writer())
	}
	return s.delete(ctx, p, subject)
}

// delete stores a delete marker under a subject where there is a document in its place.
func (s *Store) delete(ctx context.Context, p place, subject string) error {
	for tries := 0; ; tries++ {
		m, err := s.last(ctx, p)
		if err != nil || !m.exists() {
			return err
		}
		err = s.create(ctx, deletion(p, subject, &m))
		if !errors.Is(err, desk.ErrExists) || tries == 8 { // another process changed it in between
			return err
		}
	}
}

// List implements desk.Store. The leader lists the subjects.
func (s *Store) List(ctx context.Context, kind desk.Kind, in desk.Range) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if ctx.Err() != nil {
			yield("", context.Cause(ctx))
			return
		}
		if kind != desk.KindArchive {
			ids, err := s.listDesk(ctx, kind)
			yieldDescending(ids, err, in, yield)
			return
		}
		found, err := s.places(ctx, StreamPast, allOf(areaPast, kindMonths))
		if err != nil {
			yield("", err)
			return
		}
		var months []string
		for p := range found { // of each owner
			months = append(months, p.name)
		}
		slices.Sort(months)
		for _, month := range in.Months(slices.Compact(months)) {
			found, err := s.places(ctx, StreamPast, place{areaPast, kindDocs, "*", month}.filter())
			var ids []string
			for p := range found {
				ids = append(ids, p.record())
			}
			if !yieldDescending(ids, err, in, yield) {
				return
			}
		}
	}
}

// listDesk returns the ids of documents of a kind, in no order.
func (s *Store) listDesk(ctx context.Context, kind desk.Kind) ([]string, error) {
	filter := allOf(areaAsk, string(kind))
	if kind == desk.KindReplies {
		filter = allOf(areaAsk, kindEnd)
	}
	found, err := s.places(ctx, StreamDesk, filter)
	var ids, old []string
	for p, writers := range found {
		done := slices.ContainsFunc(writers, func(w writer) bool { return w.role == collected })
		if !done {
			ids = append(ids, p.record())
		}
		for _, w := range writers {
			if w.name == s.identity().writer() && w.role != collected && (done || w.role == asHuman || w.role == "" && len(writers) > 1) {
				old = append(old, p.by(strings.TrimPrefix(endBy(w.role, w.name), ".")))
			}
		}
	}
	s.sweep(old)
	return ids, err
}

// sweep removes documents that this credential wrote and others have deleted, or
// collected: no other credential may. The server's copies of humans' outcomes stay.
func (s *Store) sweep(old []string) {
	if len(old) == 0 || !s.sweeping.TryLock() {
		return
	}
	go func() {
		defer s.sweeping.Unlock()
		for _, subject := range old[:min(len(old), 256)] {
			ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
			err := s.sweepOne(ctx, subject)
			cancel()
			if err != nil {
				return // the next listing tries again
			}
		}
	}()
}

func (s *Store) sweepOne(ctx context.Context, subject string) error {
	p, by, _ := parse(subject)
	if by.role == asHuman {
		if ended, err := s.wasCollected(ctx, p); err != nil || !ended {
			return err
		}
		if copied, err := s.humanCopy(ctx, p.owner, p.name); err != nil || !copied.exists() {
			return err // swept once the copy exists; see said
		}
	}
	if by.role == "" {
		if now, err := s.last(ctx, p); err != nil || now.exists() {
			return err // it was written anew
		}
	}
	m, err := s.lastOn(ctx, StreamDesk, subject)
	if err != nil || !m.exists() {
		return err
	}
	// Not in its place, where it was deleted already: in its subject.
	_, err = s.publish(ctx, requestTimeout, creation{subject: subject, deleted: true, ttl: keepDeleted, replaces: m.Seq}, nuid.Next())
	return err
}

// wasCollected reports whether a human's outcome was collected. The marker of that
// expires after a day; then the archive tells, and the marker is stored again.
func (s *Store) wasCollected(ctx context.Context, p place) (bool, error) {
	m, err := s.last(ctx, p)
	if err != nil || m.By.role == collected {
		return err == nil, err
	}
	archived := s.get(ctx, desk.KindArchive, p.name)
	asked := s.get(ctx, desk.KindPending, p.name)
	if archived.Err != nil || !errors.Is(asked.Err, desk.ErrNotFound) {
		return false, nil //nolint:nilerr // open, not collected yet, or not to be read now
	}
	return true, s.Delete(ctx, desk.KindReplies, p.name)
}

func yieldDescending(ids []string, err error, in desk.Range, yield func(string, error) bool) bool {
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

// places returns the places of the documents that match a filter, each with its
// writers.
func (s *Store) places(ctx context.Context, stream, filter string) (map[place][]writer, error) {
	subjects, err := s.subjects(ctx, stream, filter)
	found := make(map[place][]writer, len(subjects))
	for subject := range subjects {
		p, by, ok := parse(subject)
		if !ok {
			s.ignoreForeign(subject)
			continue
		}
		if id := p.record(); id != "" {
			s.owners.Store(desk.OwnerIn(id), p.owner)
		}
		found[p] = append(found[p], by)
	}
	return found, err
}
