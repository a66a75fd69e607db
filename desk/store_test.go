package desk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// tampered is a store in which something happens between two steps of a desk.
type tampered struct {
	desk.Store
	beforeCreate func(desk.Kind)
	afterCreate  func(desk.Kind)
	afterGet     func(desk.Kind)
	refuse       func(desk.Kind) error // an error of Create that creates nothing
	doubt        func(desk.Kind) error // one that comes after it has
	watch        func(context.Context) (<-chan desk.Change, error)
}

func (s *tampered) Create(ctx context.Context, kind desk.Kind, id string, data []byte) error {
	return s.create(kind, func() error { return s.Store.Create(ctx, kind, id, data) })
}

func (s *tampered) Decide(ctx context.Context, id string, role desk.Role, data []byte) error {
	return s.create(desk.KindReplies, func() error { return s.Store.Decide(ctx, id, role, data) })
}

func (s *tampered) create(kind desk.Kind, create func() error) error {
	if s.beforeCreate != nil {
		s.beforeCreate(kind)
	}
	if s.refuse != nil {
		if err := s.refuse(kind); err != nil {
			return err
		}
	}
	err := create()
	if s.afterCreate != nil {
		s.afterCreate(kind)
	}
	if s.doubt != nil && err == nil {
		err = s.doubt(kind)
	}
	return err
}

func (s *tampered) Get(ctx context.Context, kind desk.Kind, id string) ([]byte, error) {
	data, err := s.Store.Get(ctx, kind, id)
	if s.afterGet != nil {
		s.afterGet(kind)
	}
	return data, err
}

// Bell is there as long as nothing is wrong with the watch that would do its
// work.
func (s *tampered) Bell(ctx context.Context, id string, look func() bool) error {
	if s.watch != nil {
		return desk.ErrNoBells
	}
	return s.Store.Bell(ctx, id, look)
}

func (s *tampered) Watch(ctx context.Context) (<-chan desk.Change, error) {
	if s.watch != nil {
		return s.watch(ctx)
	}
	return s.Store.Watch(ctx)
}

// once returns f as a hook that runs at the first step of this kind.
func once(kind desk.Kind, f func()) func(desk.Kind) {
	return func(k desk.Kind) {
		if k == kind && f != nil {
			run := f
			f = nil
			run()
		}
	}
}

// Invariant: an answerer that had looked at the record when it was open, and
// commits when it has been answered, collected and archived, and so finds the
// place of the reply free, is told who was first and leaves nothing behind.
func TestAnswerAfterTheArchiving(t *testing.T) {
	dir := storeDir(t)
	quick := open(t, dir)
	rec := ask(t, quick)
	slow := desk.New(&tampered{Store: openSpool(t, dir), beforeCreate: once(desk.KindReplies, func() {
		answerAndArchive(t, quick, rec.ID)
	})}, desk.Options{})

	got, err := slow.Reply(t.Context(), rec.ID, says("slow"), desk.Evidence{Surface: "web", How: desk.HowPage})
	closed, ok := errors.AsType[*desk.ClosedError](err)
	if !ok || outcomeText(&closed.Outcome) != "quick" || text(got) != "quick" {
		t.Errorf("the slow one: %q, %v", text(got), err)
	}
	if got, err := quick.Get(t.Context(), rec.ID); err != nil || text(got) != "quick" {
		t.Errorf("the record: %q, %v", text(got), err)
	}
	for _, kind := range []desk.Kind{desk.KindReplies, desk.KindPending} {
		for id, err := range openSpool(t, dir).List(t.Context(), kind, desk.Range{}) {
			t.Errorf("left behind in %s: %v, %v", kind, id, err)
		}
	}
}

// Invariant: one whose answer is collected and archived before it has made
// sure that it was first, was first all the same.
func TestWinnerIsArchivedAtOnce(t *testing.T) {
	dir := storeDir(t)
	asking := open(t, dir)
	rec := ask(t, asking)
	d := desk.New(&tampered{Store: openSpool(t, dir), afterCreate: once(desk.KindReplies, func() {
		if err := asking.Archive(t.Context(), rec.ID); err != nil {
			t.Fatal(err)
		}
	})}, desk.Options{})
	if _, err := d.Reply(t.Context(), rec.ID, says("mine"), desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Errorf("the winner was told: %v", err)
	}
	if got, err := asking.Get(t.Context(), rec.ID); err != nil || text(got) != "mine" {
		t.Errorf("the record: %q, %v", text(got), err)
	}
}

// Invariant: a reader finds the record and its one outcome, whatever is moved
// while it reads.
func TestGetWhileItIsMoved(t *testing.T) {
	for _, kind := range []desk.Kind{desk.KindReplies, desk.KindPending} {
		t.Run("after "+string(kind), func(t *testing.T) {
			dir := storeDir(t)
			d := open(t, dir)
			rec := ask(t, d)
			reader := desk.New(&tampered{Store: openSpool(t, dir), afterGet: once(kind, func() {
				answerAndArchive(t, d, rec.ID)
			})}, desk.Options{})
			got, err := reader.Get(t.Context(), rec.ID)
			if err != nil {
				t.Fatal(err)
			}
			// After the pending document was read it is too late to notice.
			if want := map[desk.Kind]desk.Status{desk.KindReplies: desk.Answered, desk.KindPending: desk.Pending}[kind]; got.State != want {
				t.Errorf("state %q, want %q", got.State, want)
			}
		})
	}
	t.Run("a late reply lies about", func(t *testing.T) {
		dir := storeDir(t)
		d := open(t, dir)
		rec := ask(t, d)
		answerAndArchive(t, d, rec.ID)
		late := `{"status":"answered","reply":{"answers":[{"question_id":"q1","custom":"late"}]}}`
		if err := openSpool(t, dir).Decide(t.Context(), rec.ID, desk.RoleHuman, []byte(late)); err != nil {
			t.Fatal(err)
		}
		if got, err := d.Get(t.Context(), rec.ID); err != nil || text(got) != "quick" {
			t.Errorf("got %q, %v", text(got), err)
		}
	})
}

func answerAndArchive(t *testing.T, d *desk.Desk, id string) {
	t.Helper()
	if _, err := d.Reply(t.Context(), id, says("quick"), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	if err := d.Archive(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}

// A store that fails must say so, and leave the record as it was.
func TestReplyRefusedIsNoReply(t *testing.T) {
	d := open(t, storeDir(t))
	rec := ask(t, d)
	bad := question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"oracle"}}}}
	_, err := d.Reply(t.Context(), rec.ID, bad, desk.Evidence{Surface: "web", How: desk.HowPage})
	if _, ok := errors.AsType[question.Violations](err); !ok {
		t.Errorf("an answer outside the options: %v", err)
	}
	if got, err := d.Get(t.Context(), rec.ID); err != nil || got.State != desk.Pending {
		t.Errorf("after it the record is %q, %v", got.State, err)
	}
}

func TestForeignFilesAreLeftOut(t *testing.T) {
	ctx := deadline(t)
	dir := storeDir(t)
	var log bytes.Buffer
	d := desk.New(openSpool(t, dir), desk.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	good, bad := ask(t, d), ask(t, d)
	odd := ask(t, d)
	write := func(kind, name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, kind, name), []byte(content), 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	write("pending", bad.ID+".json", `{"id":"`+bad.ID) // torn
	write("pending", "README.txt", "hello")
	write("pending", "x.json", "{}")
	write("pending", ".json", "{}")
	if err := os.Mkdir(filepath.Join(dir, "pending", good.ID[:25]+"!.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Reply(ctx, odd.ID, says("x"), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	write("replies", odd.ID+".json", "")

	for range 2 {
		records, err := d.Pending(ctx)
		if err != nil || len(records) != 1 || records[0].ID != good.ID {
			t.Errorf("pending: %v, %v", records, err)
		}
	}
	for _, path := range []string{"pending/" + bad.ID, "replies/" + odd.ID} {
		if path = filepath.Join(dir, path) + ".json: "; strings.Count(log.String(), path) != 1 {
			t.Errorf("%s is to be named once in\n%s", path, log.String())
		}
	}
	for _, id := range []string{bad.ID, odd.ID} {
		if _, err := d.Get(ctx, id); !errors.Is(err, desk.ErrDamaged) {
			t.Errorf("Get: %v", err)
		}
		if _, err := d.Wait(ctx, id); !errors.Is(err, desk.ErrDamaged) {
			t.Errorf("Wait: %v", err)
		}
		if _, err := d.Reply(ctx, id, says("y"), desk.Evidence{Surface: "tty", How: desk.HowPage}); !errors.Is(err, desk.ErrDamaged) {
			t.Errorf("Reply: %v", err)
		}
		if err := d.Archive(ctx, id); !errors.Is(err, desk.ErrDamaged) {
			t.Errorf("Archive: %v", err)
		}
	}
	watchCtx, stop := context.WithCancel(ctx)
	events, err := d.Watch(watchCtx)
	if err != nil {
		t.Fatal(err)
	}
	write("pending", bad.ID[:25]+"Z.json", "]")
	write("pending", "junk", "]")
	last := ask(t, d)
	if ev := <-events; ev.Record.ID != last.ID {
		t.Errorf("event %+v", ev)
	}
	stop()
	for range events {
	}
}

// When notifications were missed, a watcher still tells everything that
// can be seen, once, and a waiter wakes.
func TestMissedNotifications(t *testing.T) {
	ctx, cancel := context.WithCancel(deadline(t))
	dir := storeDir(t)
	changes := make(chan desk.Change)
	d := desk.New(&tampered{Store: openSpool(t, dir), watch: func(ctx context.Context) (<-chan desk.Change, error) {
		out := make(chan desk.Change)
		go func() {
			defer close(out)
			for {
				select {
				case <-ctx.Done():
					return
				case c := <-changes:
					out <- c
				}
			}
		}()
		return out, nil
	}}, desk.Options{})
	first := ask(t, d)
	events, err := d.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan verdict, 1)
	go func() {
		rec, err := d.Wait(ctx, first.ID)
		waited <- verdict{winner: text(rec), err: err}
	}()

	second := ask(t, d)
	if _, err := d.Reply(ctx, first.ID, says("yes"), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	missed := desk.Change{Err: errors.New("overflow")}
	changes <- missed
	if ev := <-events; ev.Type != desk.Ended || ev.Record.ID != first.ID {
		t.Errorf("got %+v", ev)
	}
	if ev := <-events; ev.Type != desk.Asked || ev.Record.ID != second.ID {
		t.Errorf("got %+v", ev)
	}
	if v := <-waited; v.err != nil || v.winner != "yes" {
		t.Errorf("the waiter: %q, %v", v.winner, v.err)
	}

	// What comes twice is told once.
	changes <- missed
	changes <- desk.Change{Kind: desk.KindPending, ID: second.ID}
	changes <- desk.Change{Kind: desk.KindReplies, ID: first.ID}
	third := ask(t, d)
	changes <- desk.Change{Kind: desk.KindPending, ID: third.ID}
	if ev := <-events; ev.Type != desk.Asked || ev.Record.ID != third.ID {
		t.Errorf("got %+v", ev)
	}
	cancel()
	for range events {
	}
}

// One who does not read its events costs a bounded queue, holds up nobody else
// who watches, and is told what it missed when it reads on.
func TestSlowWatcher(t *testing.T) {
	ctx, cancel := context.WithCancel(deadline(t))
	dir := storeDir(t)
	d, other := open(t, dir), open(t, dir)
	slow, err := d.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	quick, err := d.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	next := func(events <-chan desk.Event) desk.Event {
		t.Helper()
		ev, ok := <-events
		if !ok {
			t.Fatal("the watch ended early")
		}
		return ev
	}
	ended, open := ask(t, other).ID, ask(t, other).ID
	for asked := 0; asked < 2; {
		if next(quick).Type == desk.Asked { // and not that nobody waits any more
			asked++
		}
	}
	for i := range 1000 { // much more than a queue holds
		if err := other.SaveDraft(ctx, open, says(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
		if ev := next(quick); ev.Type != desk.Touched {
			t.Fatalf("the quick one got %s", ev.Type)
		}
	}
	reply(t, other, ended, "x")
	for next(quick).Type != desk.Ended {
	}
	seen := map[desk.EventType][]string{}
	for len(seen[desk.Ended]) == 0 || len(seen[desk.Asked]) < 2 {
		ev := next(slow)
		seen[ev.Type] = append(seen[ev.Type], ev.Record.ID)
	}
	if !slices.Equal(seen[desk.Asked], []string{ended, open}) || !slices.Equal(seen[desk.Ended], []string{ended}) || len(seen[desk.Touched]) > 600 {
		t.Errorf("the slow one got %v asked, %v ended, %d touched", seen[desk.Asked], seen[desk.Ended], len(seen[desk.Touched]))
	}
	cancel()
	for range slow {
	}
	for range quick {
	}
}

// counted is a store that counts how often a record is read.
type counted struct {
	desk.Store
	reads, archive atomic.Int32
}

func (s *counted) Get(ctx context.Context, kind desk.Kind, id string) ([]byte, error) {
	if kind == desk.KindPending {
		s.reads.Add(1)
	}
	if kind == desk.KindArchive {
		s.archive.Add(1)
	}
	return s.Store.Get(ctx, kind, id)
}

// However many watch in a process, a record is read once for each event.
func TestEventsAreReadOnce(t *testing.T) {
	const watchers = 10
	ctx, cancel := context.WithCancel(deadline(t))
	dir := storeDir(t)
	store := &counted{Store: openSpool(t, dir)}
	d, other := desk.New(store, desk.Options{}), open(t, dir)
	var all []<-chan desk.Event
	for range watchers {
		events, err := d.Watch(ctx)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, events)
	}
	rec := ask(t, other)
	for _, events := range all {
		for ev := range events {
			if ev.Type == desk.Asked && ev.Record.ID == rec.ID {
				break
			}
		}
	}
	reply(t, other, rec.ID, "x")
	for _, events := range all {
		for ev := range events {
			if ev.Type == desk.Ended && text(ev.Record) == "x" {
				break
			}
		}
	}
	if n := store.reads.Load(); n > 5 { // asked, its lock taken and left, ended
		t.Errorf("the record was read %d times", n)
	}
	cancel()
	for _, events := range all {
		for range events {
		}
	}
}

func TestWaitWhenWatchingFails(t *testing.T) {
	ctx := deadline(t)
	failure := errors.New("no watch to be had")
	calls := 0
	broken := make(chan desk.Change)
	d := desk.New(&tampered{Store: openSpool(t, storeDir(t)), watch: func(context.Context) (<-chan desk.Change, error) {
		if calls++; calls == 1 {
			return broken, nil
		}
		return nil, failure
	}}, desk.Options{})
	rec := ask(t, d)
	events, err := d.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := d.Wait(ctx, rec.ID)
		ended <- err
	}()
	close(broken)
	if err := <-ended; !errors.Is(err, failure) {
		t.Errorf("Wait: %v", err)
	}
	for ev := range events {
		t.Errorf("event %+v", ev)
	}
	if _, err := d.Watch(ctx); !errors.Is(err, failure) {
		t.Errorf("Watch: %v", err)
	}
}
