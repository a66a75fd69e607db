// Package storetest is the rules of a desk.Store as a suite of tests, which the
// tests of every store run. What it cannot see, the death of processes and
// machines, each store tests itself. The package imports desk only, and knows
// no store.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk"
)

// Run tests a store. Each call of open returns a new one, and sees to it that
// it is closed, if need be, when its test has ended.
func Run(t *testing.T, open func(t *testing.T) desk.Store) {
	for _, part := range []struct {
		name string
		test func(*testing.T, desk.Store)
	}{
		{"documents", documents},
		{"one is first", oneIsFirst},
		{"ranges", ranges},
		{"replacing", replacing},
		{"marks", marks},
		{"marks come and go", marksComeAndGo},
		{"locks", locks},
		{"a lock is exclusive", lockIsExclusive},
		{"bells", bells},
		{"watch", watch},
		{"bad names", badNames},
		{"ended context", endedContext},
		{"files", files},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, open(t)) })
	}
}

// ID returns the n-th of some record ids of a month.
func ID(year int, month time.Month, n int) string {
	at := time.Date(year, month, 3, 9, 0, 0, 0, time.UTC)
	return ulid.MustNew(ulid.Timestamp(at), strings.NewReader(fmt.Sprintf("%010d", n))).String()
}

// own returns an id as the store has it for a record of its credential.
func own(t *testing.T, s desk.Store, year int, month time.Month, n int) string {
	t.Helper()
	return Own(t, s, ID(year, month, n))
}

// Own returns an id as a store that knows owners has it for a record of its
// credential; on any other the id itself.
func Own(t *testing.T, s desk.Store, id string) string {
	t.Helper()
	of, ok := s.(desk.Shared)
	if !ok {
		return id
	}
	id, err := of.Place(t.Context(), id, "")
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// patience is how long a test waits for what should come at once.
const patience = time.Minute

// receive returns what comes next through a channel.
func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case x, ok := <-from:
		if !ok {
			t.Fatal("the channel was closed")
		}
		return x
	case <-time.After(patience):
		t.Fatal("waited in vain")
	}
	panic("unreachable")
}

func create(t *testing.T, s desk.Store, kind desk.Kind, id, data string) {
	t.Helper()
	if err := put(t.Context(), s, kind, id, data); err != nil {
		t.Fatal(err)
	}
}

// put creates a document of any kind, or replaces it where that is its way.
func put(ctx context.Context, s desk.Store, kind desk.Kind, id, data string) error {
	switch kind {
	case desk.KindReplies:
		return s.Decide(ctx, id, desk.RoleHuman, []byte(data))
	case desk.KindDrafts, desk.KindShowing:
		return s.Put(ctx, kind, id, []byte(data))
	default:
		return s.Create(ctx, kind, id, []byte(data))
	}
}

func list(t *testing.T, s desk.Store, kind desk.Kind, in desk.Range) []string {
	t.Helper()
	var ids []string
	for id, err := range s.List(t.Context(), kind, in) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// documents: each kind holds its own; what is created stays as it is until it
// is deleted.
func documents(t *testing.T, s desk.Store) {
	ctx := t.Context()
	created := []desk.Kind{desk.KindPending, desk.KindReplies, desk.KindArchive}
	for _, kind := range append(created, desk.KindDrafts, desk.KindShowing) {
		id := own(t, s, 2026, 11, 1)
		if _, err := s.Get(ctx, kind, id); !errors.Is(err, desk.ErrNotFound) {
			t.Errorf("%s: Get of nothing: %v", kind, err)
		}
		if ids := list(t, s, kind, desk.Range{}); len(ids) > 0 {
			t.Errorf("%s: List of nothing: %v", kind, ids)
		}
		create(t, s, kind, id, "first of "+string(kind))
		if slices.Contains(created, kind) {
			if err := put(ctx, s, kind, id, "second"); !errors.Is(err, desk.ErrExists) {
				t.Errorf("%s: another one where there is one: %v", kind, err)
			}
			if err := put(ctx, s, kind, id, "first of "+string(kind)); err != nil {
				t.Errorf("%s: the same once more: %v", kind, err)
			}
		}
		if data, err := s.Get(ctx, kind, id); err != nil || string(data) != "first of "+string(kind) {
			t.Errorf("%s: Get: %q, %v", kind, data, err)
		}
	}
	for _, kind := range created {
		id := own(t, s, 2026, 11, 1)
		for range 2 {
			if err := s.Delete(ctx, kind, id); err != nil {
				t.Errorf("%s: Delete: %v", kind, err)
			}
		}
		if _, err := s.Get(ctx, kind, id); !errors.Is(err, desk.ErrNotFound) {
			t.Errorf("%s: Get after Delete: %v", kind, err)
		}
		err := put(ctx, s, kind, id, "anew")
		if kept := kind == desk.KindReplies && errors.Is(err, desk.ErrExists); err != nil && !kept {
			t.Errorf("%s: anew, after Delete: %v", kind, err)
		}
	}
}

// oneIsFirst: of many who decide, in either role, one succeeds and its outcome
// is read; the others are told that there is another.
func oneIsFirst(t *testing.T, s desk.Store) {
	const callers = 16
	for n := range 20 {
		id := own(t, s, 2026, 11, n)
		errs := make([]error, callers)
		var wg sync.WaitGroup
		start := make(chan struct{})
		for i := range callers {
			wg.Go(func() {
				<-start
				role := []desk.Role{desk.RoleHuman, desk.RoleAsker}[i%2]
				errs[i] = s.Decide(t.Context(), id, role, fmt.Append(nil, i))
			})
		}
		close(start)
		wg.Wait()
		data, err := s.Get(t.Context(), desk.KindReplies, id)
		if err != nil {
			t.Fatal(err)
		}
		for i, err := range errs {
			if first := string(data) == fmt.Sprint(i); first != (err == nil) || !first && !errors.Is(err, desk.ErrExists) {
				t.Errorf("%s was first, and %d was told: %v", data, i, err)
			}
		}
	}
}

// ranges: a listing begins with the newest and ends where it is told to.
func ranges(t *testing.T, s desk.Store) {
	var all []string
	for _, at := range []struct {
		year  int
		month time.Month
	}{{2025, 2}, {2025, 12}, {2026, 1}, {2026, 11}} {
		for n := range 3 {
			all = append(all, own(t, s, at.year, at.month, n))
		}
	}
	for _, kind := range []desk.Kind{desk.KindPending, desk.KindArchive} {
		for _, i := range []int{3, 0, 11, 7, 1, 10, 2, 5, 4, 9, 8, 6} {
			create(t, s, kind, all[i], "x")
		}
		prefix := all[4]
		for _, tc := range []struct {
			in       desk.Range
			from, to int
		}{
			{desk.Range{}, 0, 12},
			{desk.Range{From: all[4]}, 4, 12},
			{desk.Range{Before: all[4]}, 0, 4},
			{desk.Range{From: all[2], Before: all[10]}, 2, 10},
			{desk.Range{From: prefix, Before: prefix + "~"}, 4, 5},
			{desk.Range{From: all[3][:10], Before: all[3][:10] + "~"}, 3, 6},
			{desk.Range{From: all[5], Before: all[5]}, 5, 5},
			{desk.Range{From: "7~"}, 12, 12},
			{desk.Range{Before: "0"}, 0, 0},
		} {
			want := slices.Clone(all[tc.from:tc.to])
			slices.Reverse(want)
			if got := list(t, s, kind, tc.in); !slices.Equal(got, want) {
				t.Errorf("%s in %+v: %v, want %v", kind, tc.in, got, want)
			}
		}
		var newest []string
		for id := range s.List(t.Context(), kind, desk.Range{}) {
			if newest = append(newest, id); len(newest) == 4 {
				break
			}
		}
		if want := []string{all[11], all[10], all[9], all[8]}; !slices.Equal(newest, want) {
			t.Errorf("%s: the newest are %v", kind, newest)
		}
	}
}

// replacing: a document that is replaced is whole for every reader, and the
// last one put.
func replacing(t *testing.T, s desk.Store) {
	const turns = 200
	id := own(t, s, 2026, 11, 1)
	whole := func(n int) string { return strings.Repeat(string(rune('a'+n%26)), 5000+n) }
	create(t, s, desk.KindDrafts, id, whole(0))
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for !done.Load() {
				data, err := s.Get(t.Context(), desk.KindDrafts, id)
				if err != nil || len(data) < 5000 || string(data) != whole(len(data)-5000) {
					t.Errorf("read %d bytes, %v", len(data), err)
					return
				}
			}
		})
	}
	for n := range turns {
		create(t, s, desk.KindDrafts, id, whole(n))
	}
	done.Store(true)
	readers.Wait()
	if data, err := s.Get(t.Context(), desk.KindDrafts, id); err != nil || !bytes.Equal(data, []byte(whole(turns-1))) {
		t.Errorf("the last one is %d bytes, %v", len(data), err)
	}
}

func marks(t *testing.T, s desk.Store) {
	ctx := t.Context()
	first, second := own(t, s, 2026, 11, 1), own(t, s, 2026, 11, 2)
	marked := func(want ...string) {
		t.Helper()
		got, err := s.Marks(ctx, desk.MarkContent, "abc")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("marked %v, %v; want %v", got, err, want)
		}
	}
	marked()
	for _, id := range []string{second, first, first} {
		if err := s.Mark(ctx, desk.MarkContent, "abc", id); err != nil {
			t.Fatal(err)
		}
	}
	for i, mark := range []desk.Mark{desk.MarkSessions, desk.MarkLifted, desk.MarkReopened, desk.MarkAnswered} {
		id := own(t, s, 2026, 11, 10+i)
		if err := s.Mark(ctx, mark, "abc", id); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Marks(ctx, mark, "abc"); err != nil || !slices.Equal(got, []string{id}) {
			t.Errorf("%s: marked %v, %v", mark, got, err)
		}
	}
	if err := s.Mark(ctx, desk.MarkContent, "abcd", own(t, s, 2026, 11, 4)); err != nil {
		t.Fatal(err)
	}
	marked(first, second)
	for range 2 {
		if err := s.Unmark(ctx, desk.MarkContent, "abc", first); err != nil {
			t.Fatal(err)
		}
		marked(second)
	}
}

// marksComeAndGo: a mark stays until it is taken out, though others of its name
// come and go.
func marksComeAndGo(t *testing.T, s desk.Store) {
	var markers sync.WaitGroup
	for worker := range 8 {
		markers.Go(func() {
			for n := range 200 {
				id := own(t, s, 2026, 11, worker*1000+n)
				if err := s.Mark(t.Context(), desk.MarkContent, "abc", id); err != nil {
					t.Error(err)
				}
				ids, err := s.Marks(t.Context(), desk.MarkContent, "abc")
				if err != nil || !slices.Contains(ids, id) {
					t.Errorf("%s is not among %v: %v", id, ids, err)
				}
				if err := s.Unmark(t.Context(), desk.MarkContent, "abc", id); err != nil {
					t.Error(err)
				}
			}
		})
	}
	markers.Wait()
	if ids, err := s.Marks(t.Context(), desk.MarkContent, "abc"); err != nil || len(ids) > 0 {
		t.Errorf("left: %v, %v", ids, err)
	}
}

func locks(t *testing.T, s desk.Store) {
	ctx := t.Context()
	looks := func(want bool, held ...string) {
		t.Helper()
		if got, err := s.Locked(ctx, desk.KindAskers, "a"); err != nil || got != want {
			t.Errorf("locked: %v, %v", got, err)
		}
		names, err := s.Locks(ctx, desk.KindAskers)
		slices.Sort(names)
		if err != nil || !slices.Equal(names, held) {
			t.Errorf("held are %v, %v; want %v", names, err, held)
		}
	}
	looks(false)
	for range 3 {
		release, err := s.Lock(ctx, desk.KindAskers, "a")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Lock(ctx, desk.KindAskers, "a"); !errors.Is(err, desk.ErrLocked) {
			t.Errorf("a second one: %v", err)
		}
		looks(true, "a")
		other, err := s.Lock(ctx, desk.KindAskers, "b")
		if err != nil {
			t.Fatal(err)
		}
		elsewhere, err := s.Lock(ctx, desk.KindPresent, "a")
		if err != nil {
			t.Fatal(err)
		}
		looks(true, "a", "b")
		release()
		looks(false, "b")
		other()
		elsewhere()
		looks(false)
	}
}

// lockIsExclusive: however many take and leave a lock, one has it at a time;
// and one who wants it and finds only lookers gets it.
func lockIsExclusive(t *testing.T, s desk.Store) {
	const takers, lookers, turns = 8, 4, 200
	var holding, taken atomic.Int32
	var takes, looks sync.WaitGroup
	for range takers {
		takes.Go(func() {
			for range turns {
				release, err := s.Lock(t.Context(), desk.KindAskers, "a")
				if errors.Is(err, desk.ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if holding.Add(1) > 1 {
					t.Error("two hold the lock")
				}
				taken.Add(1)
				if held, err := s.Locked(t.Context(), desk.KindAskers, "a"); err != nil || !held {
					t.Errorf("others see the lock as free: %v", err)
				}
				holding.Add(-1)
				release()
			}
		})
	}
	takes.Wait()
	if taken.Load() == 0 {
		t.Error("nobody got the lock")
	}
	var stop atomic.Bool
	for n := range lookers {
		looks.Go(func() {
			for !stop.Load() {
				err := fault(s.Locked(t.Context(), desk.KindAskers, "b"))
				if n == 0 {
					err = fault(s.Locks(t.Context(), desk.KindAskers))
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range turns {
		release, err := s.Lock(t.Context(), desk.KindAskers, "b")
		if err != nil {
			t.Fatal(err)
		}
		release()
	}
	stop.Store(true)
	looks.Wait()
}

// bells: every bell of a record rings once it has been decided, and no other's
// does.
func bells(t *testing.T, s desk.Store) {
	id, other := own(t, s, 2026, 11, 1), own(t, s, 2026, 11, 2)
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 3)
	hang := func(id string) <-chan bool {
		looks := make(chan bool, 1)
		go func() {
			ended <- s.Bell(ctx, id, func() bool {
				_, err := s.Get(ctx, desk.KindReplies, id)
				select {
				case looks <- err == nil:
				default: // the last one is not heard yet
				}
				return err == nil
			})
		}()
		return looks
	}
	if errors.Is(s.Bell(ctx, id, func() bool { return true }), desk.ErrNoBells) {
		t.Skip("the store has no bells")
	}
	hung := []<-chan bool{hang(id), hang(id), hang(other)}
	for _, looks := range hung {
		if receive(t, looks) {
			t.Error("an outcome is there before it is decided")
		}
	}
	create(t, s, desk.KindReplies, id, "x")
	for range hung[:2] {
		if err := receive(t, ended); err != nil {
			t.Error(err)
		}
	}
	// One who hangs a bell late finds the outcome at once.
	if !receive(t, hang(id)) {
		t.Error("the outcome is not there")
	}
	if err := receive(t, ended); err != nil {
		t.Error(err)
	}
	// The bell of another record rings on, until its owner goes.
	cause := errors.New("enough")
	cancel(cause)
	if err := receive(t, ended); !errors.Is(err, cause) {
		t.Errorf("the end of the context: %v", err)
	}
}

// watch: what comes and goes outside the archive is told in order, to each who
// watches, until the context ends. A store may also say that it missed
// something; then what it is about can be seen.
func watch(t *testing.T, s desk.Store) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	first, second := own(t, s, 2026, 11, 1), own(t, s, 2026, 11, 2)
	var watches []<-chan desk.Change
	for range 2 {
		changes, err := s.Watch(ctx)
		if err != nil {
			t.Fatal(err)
		}
		watches = append(watches, changes)
	}
	create(t, s, desk.KindPending, first, "x")
	create(t, s, desk.KindPending, second, "x")
	create(t, s, desk.KindDrafts, first, "x")
	create(t, s, desk.KindReplies, second, "x")
	create(t, s, desk.KindArchive, second, "x")
	for _, kind := range []desk.Kind{desk.KindPending, desk.KindReplies} {
		if err := s.Delete(ctx, kind, second); err != nil {
			t.Fatal(err)
		}
	}
	for _, changes := range watches {
		for _, want := range []desk.Change{
			{Kind: desk.KindPending, ID: first},
			{Kind: desk.KindPending, ID: second},
			{Kind: desk.KindDrafts, ID: first},
			{Kind: desk.KindReplies, ID: second},
			{Kind: desk.KindPending, ID: second, Removed: true},
			{Kind: desk.KindReplies, ID: second, Removed: true},
		} {
			got := receive(t, changes)
			if got.ID == "" {
				t.Log("the store has missed something:", got.Err)
				break
			}
			if got != want {
				t.Fatalf("got %+v, want %+v", got, want)
			}
		}
	}
	cancel()
	for _, changes := range watches {
		for range changes {
		}
	}
}

// fault is the error of a call.
func fault[T any](_ T, err error) error { return err }

// badNames: ids come from outside; what is none touches nothing.
func badNames(t *testing.T, s desk.Store) {
	ctx := t.Context()
	good := own(t, s, 2026, 11, 1)
	refused := func(what, name string, err error) {
		t.Helper()
		if !errors.Is(err, desk.ErrBadName) {
			t.Errorf("%s %q: %v", what, name, err)
		}
	}
	for _, id := range []string{"", "x", "..", "../secret", strings.ToLower(good), good + "/../../secret", good[:25], good[:25] + "\x00", good[:25] + "U"} {
		for _, kind := range []desk.Kind{desk.KindPending, desk.KindReplies, desk.KindArchive, desk.KindDrafts} {
			refused("Get", id, fault(s.Get(ctx, kind, id)))
			refused("create", id, put(ctx, s, kind, id, "x"))
			refused("Delete", id, s.Delete(ctx, kind, id))
			if ids := list(t, s, kind, desk.Range{}); len(ids) > 0 {
				t.Errorf("there is %v", ids)
			}
		}
		refused("Mark", id, s.Mark(ctx, desk.MarkContent, "abc", id))
		refused("Unmark", id, s.Unmark(ctx, desk.MarkContent, "abc", id))
		err := s.Bell(ctx, id, func() bool { return true })
		if !errors.Is(err, desk.ErrNoBells) {
			refused("Bell", id, err)
		}
	}
	for _, name := range []string{"", "..", "../x", "a/b", "a.b", "a\x00", "a*", "a ", "ä"} {
		refused("Mark", name, s.Mark(ctx, desk.MarkContent, name, good))
		refused("Unmark", name, s.Unmark(ctx, desk.MarkContent, name, good))
		refused("Marks", name, fault(s.Marks(ctx, desk.MarkContent, name)))
		refused("Lock", name, fault(s.Lock(ctx, desk.KindAskers, name)))
		refused("Locked", name, fault(s.Locked(ctx, desk.KindAskers, name)))
	}
}

// endedContext: nothing is done for one who has gone.
func endedContext(t *testing.T, s desk.Store) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	id := own(t, s, 2026, 11, 1)
	var errList error
	for _, err := range s.List(ctx, desk.KindPending, desk.Range{}) {
		errList = err
	}
	for name, err := range map[string]error{
		"Create": s.Create(ctx, desk.KindPending, id, nil),
		"Decide": s.Decide(ctx, id, desk.RoleAsker, nil),
		"Put":    s.Put(ctx, desk.KindDrafts, id, nil),
		"Get":    fault(s.Get(ctx, desk.KindPending, id)),
		"Delete": s.Delete(ctx, desk.KindPending, id),
		"List":   errList,
		"Mark":   s.Mark(ctx, desk.MarkContent, "abc", id),
		"Unmark": s.Unmark(ctx, desk.MarkContent, "abc", id),
		"Marks":  fault(s.Marks(ctx, desk.MarkContent, "abc")),
		"Lock":   fault(s.Lock(ctx, desk.KindAskers, "abc")),
		"Locked": fault(s.Locked(ctx, desk.KindAskers, "abc")),
		"Locks":  fault(s.Locks(ctx, desk.KindAskers)),
		"Bell":   s.Bell(ctx, id, func() bool { return true }),
		"Watch":  fault(s.Watch(ctx)),
	} {
		if !errors.Is(err, cause) && (name != "Bell" || !errors.Is(err, desk.ErrNoBells)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if ids := list(t, s, desk.KindPending, desk.Range{}); len(ids) > 0 {
		t.Errorf("created: %v", ids)
	}
}
