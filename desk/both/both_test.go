package both

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"

	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/local"
	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

// shared is a shared desk that a test can cut off. It is another store of a machine.
type shared struct {
	*desktest.Faulty
	own *local.Store

	down    atomic.Bool   // answers nothing
	refuse  bool          // takes no question
	doubt   bool          // takes questions, and does not say so
	stalled bool          // never finishes to read
	denied  atomic.Bool   // no call has the right
	human   string        // stores what ends a row that is waited for
	watched chan struct{} // receives after each call of Changes, where not full
	called  chan string   // receives the name of each call, where not full
}

// asShared is a store of a machine with the revisions of a shared desk.
type asShared struct{ *local.Store }

func far(row store.Row) store.Row {
	row.Revision = store.Revision{Far: row.Revision.Own}
	return row
}

func (s asShared) Ask(ctx context.Context, row store.Row) (store.Row, error) {
	row, err := s.Store.Ask(ctx, row)
	return far(row), err
}

func (s asShared) Get(ctx context.Context, id string) (store.Row, error) {
	row, err := s.Store.Get(ctx, id)
	return far(row), err
}

func (s asShared) Rows(ctx context.Context, q store.Query) iter.Seq2[store.Row, error] {
	q.After = store.Revision{Own: q.After.Far}
	return func(yield func(store.Row, error) bool) {
		for row, err := range s.Store.Rows(ctx, q) {
			if !yield(far(row), err) {
				return
			}
		}
	}
}

func (s asShared) Revision(ctx context.Context) (store.Revision, error) {
	last, err := s.Store.Revision(ctx)
	return store.Revision{Far: last.Own}, err
}

func newShared(dir string) *shared {
	own := local.Open(dir)
	f := &shared{
		Faulty: &desktest.Faulty{Store: asShared{own}}, own: own,
		watched: make(chan struct{}, 1), called: make(chan string, 100),
	}
	f.Before(f.reach)
	return f
}

func (f *shared) reach(ctx context.Context, c desktest.Call) error {
	select {
	case f.called <- c.Method:
	default:
	}
	switch {
	case f.down.Load(), f.refuse && c.Method == "Ask":
		return fmt.Errorf("dial: %w", store.ErrUnreachable)
	case f.denied.Load():
		return store.ErrDenied
	case f.stalled && slices.Contains([]string{"Get", "Rows"}, c.Method):
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return nil
}

func (f *shared) Ask(ctx context.Context, row store.Row) (store.Row, error) {
	if !f.doubt {
		return f.Faulty.Ask(ctx, row)
	}
	_, err := f.own.Ask(context.WithoutCancel(ctx), row)
	<-ctx.Done()
	return row, errors.Join(context.Cause(ctx), err)
}

func (f *shared) Wait(ctx context.Context, id string) (store.Row, error) {
	row, err := f.Faulty.Wait(ctx, id)
	row.Human = f.human
	return row, err
}

func (f *shared) Changes(ctx context.Context, name string) (<-chan struct{}, error) {
	changes, err := f.Faulty.Changes(ctx, name)
	if err == nil {
		select {
		case f.watched <- struct{}{}:
		default:
		}
	}
	return changes, err
}

func (f *shared) PutFile(ctx context.Context, id, _ string, _ []byte, _ int) error {
	_, err := f.Get(ctx, id)
	if err != nil {
		return err
	}
	return store.ErrUnsupported
}

// process is one that a suite opens.
type process struct {
	*Store
	far   *shared
	isFar bool // the rows of the suite are on the shared desk, which is not pruned
}

func (p process) Close() error { return errors.Join(p.near.Close(), p.far.own.Close()) }

// Changes returns once the shared desk knows: a process that is killed announces nothing then.
func (p process) Changes(ctx context.Context, name string) (<-chan struct{}, error) {
	changes, err := p.Store.Changes(ctx, name)
	if err == nil {
		<-p.far.watched
	}
	return changes, err
}

func (p process) Prune(ctx context.Context, before time.Time, dry bool) (int, error) {
	if p.isFar {
		return 0, store.ErrUnsupported
	}
	return p.Store.Prune(ctx, before, dry)
}

func TestContract(t *testing.T) {
	for _, refuse := range []bool{false, true} {
		name, without := "asked on the shared desk", storetest.Without{Files: true, Prune: true}
		if refuse {
			name, without = "asked on this machine", storetest.Without{}
		}
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, without, func(t *testing.T) func() storetest.Process {
				here, there := t.TempDir()+"/here", t.TempDir()+"/there"
				return func() storetest.Process {
					f := newShared(there)
					f.refuse = refuse
					return process{Join(local.Open(here), f, slog.New(slog.DiscardHandler)), f, !refuse}
				}
			})
		})
	}
}

// joined is a store with a shared desk, and the desk's own view of it.
type joined struct {
	*Store
	f *shared
}

func join(t *testing.T) joined { return joinIn(t, t.TempDir()+"/here") }

func joinIn(t *testing.T, dir string) joined {
	t.Helper()
	f := newShared(t.TempDir() + "/there")
	here := local.Open(dir)
	t.Cleanup(func() {
		_ = here.Close()
		_ = f.own.Close()
	})
	s := Join(here, f, slog.New(slog.DiscardHandler))
	s.pause = time.Millisecond
	return joined{s, f}
}

// askNear asks on this machine.
func (j joined) askNear(t *testing.T, text string) store.Row {
	t.Helper()
	j.f.down.Store(true)
	defer j.f.down.Store(false)
	return storetest.Ask(t, j, text)
}

// isHere fails where a row is not kept by one of both alone, this machine or not.
func (j joined) isHere(t *testing.T, id string, want bool) {
	t.Helper()
	_, here := j.near.Get(t.Context(), id)
	_, there := j.f.own.Get(t.Context(), id)
	if (here == nil) != want || (there == nil) == want {
		t.Errorf("here: %v, there: %v; want it here: %t", here, there, want)
	}
}

// read returns the texts of rows, the last revision and the error that follows them.
func (j joined) read(t *testing.T, q store.Query) (texts string, last store.Revision, err error) {
	t.Helper()
	rows, err := j.rows(t.Context(), q)
	all := []string{}
	for _, row := range rows {
		all = append(all, string(row.Asked))
		last = last.Max(row.Revision)
	}
	return strings.Join(all, " "), last, err
}

func end(text string) store.Ending { return store.Ending{Outcome: []byte(text), Text: text} }

func draft(text string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(text), nil }
}

func TestAskedAtHome(t *testing.T) {
	j := join(t)
	var logged strings.Builder
	j.log = slog.New(slog.NewTextHandler(&logged, nil))
	there := storetest.Ask(t, j, "there")
	j.f.down.Store(true)
	here := storetest.Ask(t, j, "here")
	storetest.Ask(t, j, "more")
	if n := strings.Count(logged.String(), "level=WARN"); n != 1 {
		t.Errorf("logged %d times: %s", n, &logged)
	}
	j.isHere(t, here.ID, true)
	j.isHere(t, there.ID, false)

	// What goes back to a row is at its home: the shared desk is not asked for what goes back to one
	// of this machine.
	again := storetest.NewRow("again")
	again.Earlier = there.ID
	_, err := j.Ask(t.Context(), again)
	storetest.Wants(t, err, store.ErrUnreachable)
	_, err = j.rows(t.Context(), store.Query{Earlier: here.ID})
	fatal.If(t, err)
	_, err = j.rows(t.Context(), store.Query{Earlier: there.ID})
	storetest.Wants(t, err, store.ErrUnreachable)
	j.f.down.Store(false)
	_, err = j.Ask(t.Context(), again)
	fatal.If(t, err)
	j.isHere(t, again.ID, false)
	again = storetest.NewRow("again")
	again.Earlier = here.ID
	_, err = j.Ask(t.Context(), again)
	fatal.If(t, err)
	j.isHere(t, again.ID, true)
}

func TestRefusedQuestion(t *testing.T) {
	j := join(t)
	j.f.denied.Store(true)
	row := storetest.NewRow("denied")
	_, err := j.Ask(t.Context(), row)
	storetest.Wants(t, err, store.ErrDenied)
	_, err = j.near.Get(t.Context(), row.ID)
	storetest.Wants(t, err, store.ErrNotFound)
}

func TestTakenOverHere(t *testing.T) {
	j := join(t)
	row := j.askNear(t, "here")
	same := storetest.NewRow("here")
	same.Content = row.Content
	_, err := j.Ask(t.Context(), same)
	fatal.If(t, err)
	j.isHere(t, same.ID, false) // its asker lives
	fatal.If(t, j.Release(t.Context(), row.ID))
	fatal.If(t, j.Answer(t.Context(), row.ID, end("yes")))
	same = storetest.NewRow("here")
	same.Content = row.Content
	got, err := j.Ask(t.Context(), same)
	fatal.If(t, err)
	if got.ID != row.ID || string(got.Outcome) != "yes" || !got.Attended {
		t.Errorf("not taken over: %+v", got)
	}
}

func TestDoubt(t *testing.T) {
	j := join(t)
	j.f.doubt, j.patience = true, 50*time.Millisecond
	row := storetest.Ask(t, j, "doubt")
	_, err := j.f.own.Get(t.Context(), row.ID)
	fatal.If(t, err) // it arrived there
	j.f.doubt, j.patience = false, patience
	sure := storetest.Ask(t, j, "sure")

	texts, _, err := j.read(t, store.Query{})
	fatal.If(t, err)
	if texts != "sure doubt" {
		t.Errorf("rows: %s", texts)
	}
	texts, _, _ = j.read(t, store.Query{Limit: 1, Before: sure.At.Add(time.Hour), Open: true})
	if texts != "sure" {
		t.Errorf("limited: %s", texts)
	}
	fatal.If(t, j.Answer(t.Context(), row.ID, end("yes")))
	got, err := j.Get(t.Context(), row.ID)
	fatal.If(t, err)
	if string(got.Outcome) != "yes" {
		t.Error("the row of this machine was not answered")
	}
	texts, _, err = j.read(t, store.Query{Open: true}) // there it is open still
	fatal.If(t, err)
	if texts != "sure" {
		t.Errorf("open: %s", texts)
	}
	there, err := j.f.own.Get(t.Context(), row.ID)
	if err != nil || there.Outcome != nil {
		t.Errorf("on the shared desk: %q, %v", there.Outcome, err)
	}
}

func TestRowsOfBoth(t *testing.T) {
	j := join(t)
	storetest.Ask(t, j, "a")
	j.askNear(t, "b")
	storetest.Ask(t, j, "c")
	j.askNear(t, "d")
	for want, q := range map[string]store.Query{
		"d c b a": {}, "a b c d": {Ascend: true}, "d c b": {Limit: 3},
		"b c d": {Limit: 3, Ascend: true}, "b": {Search: []string{"b"}}, "c": {Search: []string{"c"}},
	} {
		texts, _, err := j.read(t, q)
		fatal.If(t, err)
		if texts != want {
			t.Errorf("got %q, want %q", texts, want)
		}
		for row, err := range j.Rows(t.Context(), q) {
			fatal.If(t, err)
			got, err := j.Get(t.Context(), row.ID)
			fatal.If(t, err)
			if row.Revision != got.Revision {
				t.Errorf("revision %v of %s in a list, else %v", row.Revision, row.Asked, got.Revision)
			}
		}
	}
	j.f.down.Store(true)
	texts, _, err := j.read(t, store.Query{})
	storetest.Wants(t, err, store.ErrUnreachable)
	if texts != "d b" {
		t.Errorf("got %q", texts)
	}
	var order []bool
	for _, err := range j.Rows(t.Context(), store.Query{}) {
		order = append(order, err == nil)
	}
	if !slices.Equal(order, []bool{true, true, false}) {
		t.Errorf("rows and error: %v", order)
	}
}

// A shared desk that does not answer holds no list up for long. Other calls have little time there
// after that.
func TestRowsOfStalledDesk(t *testing.T) {
	j := join(t)
	j.askNear(t, "here")
	storetest.Ask(t, j, "there")
	j.f.stalled, j.patience = true, time.Millisecond
	texts, _, err := j.read(t, store.Query{})
	storetest.Wants(t, err, store.ErrUnreachable)
	if texts != "here" {
		t.Errorf("got %q", texts)
	}
	if j.failed.Load() == nil {
		t.Error("a question that is asked now waits as long again")
	}
}

// A long past, and all that has changed since long ago, are read on a shared desk that answers, however
// long it takes.
func TestRowsOfSlowDesk(t *testing.T) {
	j := join(t)
	row := storetest.Ask(t, j, "there")
	storetest.Answer(t, j, row.ID, "Yes")
	j.patience = 100 * time.Millisecond
	j.f.Before(func(_ context.Context, c desktest.Call) error {
		if c.Method == "Rows" {
			<-time.After(2 * j.patience)
		}
		return nil
	})
	for _, q := range []store.Query{{Ended: true}, {After: row.Revision}} {
		texts, _, err := j.read(t, q)
		if texts != "there" || err != nil {
			t.Errorf("%+v: %q, %v", q, texts, err)
		}
	}
}

// What follows a call that the shared desk did not answer has little time there, until it
// answers one.
func TestLittleTimeAfterFailure(t *testing.T) {
	j := join(t)
	row := storetest.Ask(t, j, "there")
	j.pause, j.patience = time.Hour, time.Millisecond
	j.f.down.Store(true)
	_, err := j.Get(t.Context(), row.ID)
	storetest.Wants(t, err, store.ErrUnreachable)
	j.f.down.Store(false)
	j.f.stalled = true
	failed := j.failed.Load()
	_, err = j.Get(t.Context(), row.ID) // else it would wait as long as the test
	storetest.Wants(t, err, store.ErrUnreachable)
	if j.failed.Load() != failed {
		t.Error("a desk that is slow never has more time while calls follow each other")
	}
	j.patience = time.Minute
	gone, leave := context.WithCancel(t.Context())
	for len(j.f.called) > 0 {
		<-j.f.called
	}
	go func() {
		<-j.f.called
		leave()
	}()
	_, err = j.Get(gone, row.ID)
	storetest.Wants(t, err, context.Canceled)
	j.pause, j.patience = 0, time.Millisecond
	_, err = j.Get(t.Context(), row.ID) // this one has some, and decides
	storetest.Wants(t, err, store.ErrUnreachable)
	if j.failed.Load() == failed {
		t.Error("it has not answered in time again, and has no little time after that")
	}
	j.f.stalled, j.patience = false, time.Minute
	_, err = j.Get(t.Context(), row.ID)
	fatal.If(t, err)
	if j.failed.Load() != nil {
		t.Error("it answers, and has little time still")
	}
}

func TestUnsentAnswer(t *testing.T) {
	j := join(t)
	row := storetest.Ask(t, j, "sent?")
	fatal.If(t, j.Note(t.Context(), row.ID, store.Draft, draft("shared")))
	j.f.down.Store(true)
	err := j.Answer(t.Context(), row.ID, end("yes"))
	storetest.Wants(t, err, store.ErrUnreachable)
	if strings.Contains(err.Error(), "draft") { // which the caller keeps, of an answer and not of a withdrawal
		t.Error(err)
	}
	fatal.If(t, j.Note(t.Context(), row.ID, store.Draft, draft("yes")))
	storetest.Wants(t, j.Note(t.Context(), row.ID, store.Shown, draft("tty")), store.ErrUnreachable)
	j.f.down.Store(false)

	shown := func() string {
		t.Helper()
		got, err := j.Get(t.Context(), row.ID)
		fatal.If(t, err)
		rows, err := j.rows(t.Context(), store.Query{})
		fatal.If(t, err)
		if one := rows[0].Notes[store.Draft]; string(one) != string(got.Notes[store.Draft]) {
			t.Errorf("a list shows %q", one)
		}
		return string(got.Notes[store.Draft])
	}
	if got := shown(); got != "yes" {
		t.Errorf("shown: %q", got)
	}
	fatal.If(t, j.Note(t.Context(), row.ID, store.Draft, func(old []byte) ([]byte, error) { return append(old, "!"...), nil }))
	if got := shown(); got != "yes!" {
		t.Errorf("shown: %q", got)
	}
	fatal.If(t, j.Answer(t.Context(), row.ID, end("yes!")))
	drafts, err := j.near.KeptDrafts(t.Context())
	if err != nil || len(drafts) > 0 {
		t.Errorf("kept: %q, %v", drafts, err)
	}
	storetest.Wants(t, j.Note(t.Context(), row.ID, store.Draft, draft("late")), store.ErrAnswered)
}

func TestDraftOfEndedRow(t *testing.T) {
	j := join(t)
	row := storetest.Ask(t, j, "ended")
	j.f.down.Store(true)
	fatal.If(t, j.Note(t.Context(), row.ID, store.Draft, draft("mine")))
	fatal.If(t, j.f.own.Answer(t.Context(), row.ID, end("theirs")))
	j.f.down.Store(false)
	got, err := j.Get(t.Context(), row.ID)
	fatal.If(t, err)
	if got.Notes[store.Draft] != nil {
		t.Errorf("shown: %q", got.Notes[store.Draft])
	}
	drafts, err := j.near.KeptDrafts(t.Context())
	if err != nil || len(drafts) > 0 {
		t.Errorf("kept: %q, %v", drafts, err)
	}
}

// A call that leaves in an outage has left: the call that comes back for its question attends it.
func TestLeftInOutage(t *testing.T) {
	j := join(t)
	row := storetest.Ask(t, j, "left")
	j.f.down.Store(true)
	fatal.If(t, j.Release(t.Context(), row.ID))
}

func TestWaitOutlastsOutage(t *testing.T) {
	j := join(t)
	row := storetest.Ask(t, j, "waiting")
	j.f.down.Store(true)
	got := make(chan store.Row, 1)
	go func() {
		row, err := j.Wait(t.Context(), row.ID)
		if err != nil {
			t.Error(err)
		}
		got <- row
	}()
	for waits := 0; waits < 2; {
		if <-j.f.called == "Wait" {
			waits++
		}
	}
	fatal.If(t, j.f.own.Answer(t.Context(), row.ID, end("yes")))
	j.f.down.Store(false)
	if row := <-got; string(row.Outcome) != "yes" {
		t.Errorf("waited for %q", row.Outcome)
	}
}

func TestChangesOfBoth(t *testing.T) {
	j := join(t)
	row := storetest.Ask(t, j, "there")
	j.f.down.Store(true)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	changes, err := j.Changes(ctx, "")
	fatal.If(t, err)
	storetest.Ask(t, j, "here")
	waittest.Take(t, changes)
	fatal.If(t, j.f.own.Answer(ctx, row.ID, end("yes")))
	j.f.down.Store(false)
	waittest.Take(t, changes) // it answers again
	fatal.If(t, j.f.own.Delivered(ctx, row.ID))
	waittest.Take(t, changes)
}

// An inbox that was opened while the shared desk did not answer, or did not permit it, is known there
// once it does.
func TestPresentOnBoth(t *testing.T) {
	down := func(f *shared) *atomic.Bool { return &f.down }
	denied := func(f *shared) *atomic.Bool { return &f.denied }
	t.Run("away", func(t *testing.T) { presentAfter(t, down, store.ErrUnreachable) })
	t.Run("denied", func(t *testing.T) { presentAfter(t, denied, store.ErrDenied) })
}

func presentAfter(t *testing.T, flag func(*shared) *atomic.Bool, want error) {
	j := join(t)
	away := flag(j.f)
	away.Store(true)
	open, leave := context.WithCancel(t.Context())
	inbox, err := j.Changes(open, "inbox")
	fatal.If(t, err)
	names, err := j.Present(t.Context(), "")
	if !errors.Is(err, want) || !slices.Equal(names, []string{"inbox"}) {
		t.Errorf("present: %q, %v", names, err)
	}
	for waittest.Take(t, j.f.called) != "Changes" {
	}
	_, err = j.f.own.Changes(t.Context(), "phone")
	fatal.If(t, err)
	away.Store(false)
	known := func() bool {
		return slices.Equal(presentAt(t, j), []string{"inbox", "phone"}) && slices.Contains(presentAt(t, j.f.own), "inbox")
	}
	if !waittest.Until(waittest.Patience, known) {
		t.Errorf("present: %q", presentAt(t, j))
	}
	here, there := j.askNear(t, "here"), storetest.Ask(t, j, "there")
	for id, want := range map[string]string{here.ID: "inbox", there.ID: "inbox phone"} {
		names, err := j.Present(t.Context(), id)
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%q list a question, want %q; %v", names, want, err)
		}
	}
	leave()
	for range inbox { // until it is closed
	}
	if got := presentAt(t, j.f.own); !slices.Equal(got, []string{"phone"}) {
		t.Errorf("on the shared desk: %q", got)
	}
}

func presentAt(t *testing.T, s store.Store) []string {
	t.Helper()
	names, err := s.Present(t.Context(), "")
	fatal.If(t, err)
	return names
}

// A question that arrived at the shared desk after all, too late, is asked on this machine, and seen
// on both. The answer that a human gives there is not lost, and a program's counts no more than here.
func TestAnsweredAtTheOtherHome(t *testing.T) {
	for human, want := range map[string]string{"alice": "there", "": "here"} {
		j := join(t)
		j.f.doubt, j.f.human, j.patience = true, human, 50*time.Millisecond
		row := storetest.Ask(t, j, "doubt")
		fatal.If(t, j.f.own.Answer(t.Context(), row.ID, end("there")))
		if human == "" {
			fatal.If(t, j.Answer(t.Context(), row.ID, end("here")))
		}
		got, err := j.Wait(t.Context(), row.ID)
		if err != nil || string(got.Outcome) != want {
			t.Errorf("answered %q by %q, %v", got.Outcome, human, err)
		}
		delivered := func() bool {
			there, err := j.f.own.Get(t.Context(), row.ID)
			return err == nil && there.Delivered
		}
		if human != "" && !waittest.Until(10*time.Second, delivered) {
			t.Error("the same question would find the answer again")
		}
	}
}

// It is not lost either where this machine cannot store it at first: its disk is full.
func TestAnsweredAtTheOtherHomeWithoutRoom(t *testing.T) {
	dir := t.TempDir() + "/here"
	j := joinIn(t, dir)
	j.f.doubt, j.f.human, j.patience = true, "alice", 50*time.Millisecond
	row := storetest.Ask(t, j, "doubt")
	fatal.If(t, j.f.own.Answer(t.Context(), row.ID, end("there")))
	db, err := driver.Open("file:" + dir + "/" + local.File)
	fatal.If(t, err)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(t.Context(), `create trigger full before update of outcome on record
		begin select raise(abort, 'full'); end`)
	fatal.If(t, err)
	got := make(chan store.Row, 1)
	go func() {
		row, _ := j.Wait(t.Context(), row.ID)
		got <- row
	}()
	for waits := 0; waits < 2; {
		if waittest.Take(t, j.f.called) == "Wait" {
			waits++
		}
	}
	_, err = db.ExecContext(t.Context(), `drop trigger full`)
	fatal.If(t, err)
	if row := waittest.Take(t, got); string(row.Outcome) != "there" {
		t.Errorf("answered %q", row.Outcome)
	}
}

func TestChangesMissedInOutage(t *testing.T) {
	j := join(t)
	there, here := storetest.Ask(t, j, "there"), j.askNear(t, "here")
	_, seen, err := j.read(t, store.Query{})
	fatal.If(t, err)
	fatal.If(t, j.Note(t.Context(), there.ID, store.Later, draft("1")))
	_, err = j.Get(t.Context(), there.ID) // another reader has met the change
	fatal.If(t, err)
	j.f.down.Store(true)
	fatal.If(t, j.Note(t.Context(), here.ID, store.Later, draft("1")))
	texts, met, err := j.read(t, store.Query{After: seen})
	seen = seen.Max(met)
	storetest.Wants(t, err, store.ErrUnreachable)
	if texts != "here" {
		t.Errorf("changed: %s", texts)
	}
	j.f.down.Store(false)
	texts, met, err = j.read(t, store.Query{After: seen})
	fatal.If(t, err)
	seen = seen.Max(met)
	if texts != "there" {
		t.Errorf("changed in the outage: %s", texts)
	}
	texts, _, err = j.read(t, store.Query{After: seen})
	fatal.If(t, err)
	if texts != "" {
		t.Errorf("changed after all: %s", texts)
	}
}
