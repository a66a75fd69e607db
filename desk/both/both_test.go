package both

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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

	mu      sync.Mutex
	down    bool
	refuse  bool          // takes no question
	doubt   bool          // takes questions, and does not say so
	stalled bool          // never finishes to read
	denied  bool          // no call has the right
	watched chan struct{} // receives after each call of Changes, where not full
	called  chan string   // receives the name of each call, where not full
}

func newShared(dir string) *shared {
	own := local.Open(dir)
	f := &shared{
		Faulty: &desktest.Faulty{Store: own}, own: own,
		watched: make(chan struct{}, 1), called: make(chan string, 100),
	}
	f.Before(f.reach)
	return f
}

func (f *shared) cut(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
}

func (f *shared) isDown() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.down
}

func (f *shared) reach(ctx context.Context, c desktest.Call) error {
	select {
	case f.called <- c.Method:
	default:
	}
	switch {
	case f.isDown(), f.refuse && c.Method == "Ask":
		return fmt.Errorf("dial: %w", store.ErrUnreachable)
	case f.denied:
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

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

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
					return process{Join(local.Open(here), f, quiet()), f, !refuse}
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

func join(t *testing.T) joined {
	t.Helper()
	f := newShared(t.TempDir() + "/there")
	here := local.Open(t.TempDir() + "/here")
	t.Cleanup(func() {
		_ = here.Close()
		_ = f.own.Close()
	})
	s := Join(here, f, quiet())
	s.pause = time.Millisecond
	return joined{s, f}
}

func wants(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
}

func (j joined) ask(t *testing.T, text string) store.Row {
	t.Helper()
	row, err := j.Ask(t.Context(), storetest.NewRow(text))
	fatal.If(t, err)
	return row
}

// askNear asks on this machine.
func (j joined) askNear(t *testing.T, text string) store.Row {
	t.Helper()
	j.f.cut(true)
	defer j.f.cut(false)
	return j.ask(t, text)
}

// isAt fails where a row is not kept by one side alone.
func (j joined) isAt(t *testing.T, id string, at side) {
	t.Helper()
	_, here := j.near.Get(t.Context(), id)
	_, there := j.f.own.Get(t.Context(), id)
	if (here == nil) != (at == near) || (there == nil) != (at == far) {
		t.Errorf("near: %v, far: %v; want it at %d", here, there, at)
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
	there := j.ask(t, "there")
	j.f.cut(true)
	here := j.ask(t, "here")
	j.ask(t, "more")
	if n := strings.Count(logged.String(), "level=WARN"); n != 1 {
		t.Errorf("logged %d times: %s", n, &logged)
	}
	j.isAt(t, here.ID, near)
	j.isAt(t, there.ID, far)

	// What goes back to a row is at its home: the shared desk is not asked for what goes back to one
	// of this machine.
	again := storetest.NewRow("again")
	again.Earlier = there.ID
	_, err := j.Ask(t.Context(), again)
	wants(t, err, store.ErrUnreachable)
	_, err = j.rows(t.Context(), store.Query{Earlier: here.ID})
	fatal.If(t, err)
	_, err = j.rows(t.Context(), store.Query{Earlier: there.ID})
	wants(t, err, store.ErrUnreachable)
	j.f.cut(false)
	_, err = j.Ask(t.Context(), again)
	fatal.If(t, err)
	j.isAt(t, again.ID, far)
	again = storetest.NewRow("again")
	again.Earlier = here.ID
	_, err = j.Ask(t.Context(), again)
	fatal.If(t, err)
	j.isAt(t, again.ID, near)
}

func TestRefusedQuestion(t *testing.T) {
	j := join(t)
	j.f.denied = true
	row := storetest.NewRow("denied")
	_, err := j.Ask(t.Context(), row)
	wants(t, err, store.ErrDenied)
	_, err = j.near.Get(t.Context(), row.ID)
	wants(t, err, store.ErrNotFound)
}

func TestTakenOverHere(t *testing.T) {
	j := join(t)
	row := j.askNear(t, "here")
	same := storetest.NewRow("here")
	same.Content = row.Content
	_, err := j.Ask(t.Context(), same)
	fatal.If(t, err)
	j.isAt(t, same.ID, far) // its asker lives
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
	row := j.ask(t, "doubt")
	_, err := j.f.own.Get(t.Context(), row.ID)
	fatal.If(t, err) // it arrived there
	j.f.doubt, j.patience = false, patience
	sure := j.ask(t, "sure")

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
	far, err := j.f.own.Get(t.Context(), row.ID)
	if err != nil || far.Outcome != nil {
		t.Errorf("on the shared desk: %q, %v", far.Outcome, err)
	}
}

func TestRowsOfBoth(t *testing.T) {
	j := join(t)
	j.ask(t, "a")
	j.askNear(t, "b")
	j.ask(t, "c")
	j.askNear(t, "d")
	for want, q := range map[string]store.Query{
		"d c b a": {}, "a b c d": {Ascend: true}, "d c b": {Limit: 3},
		"b c d": {Limit: 3, Ascend: true}, "b": {Search: "b"}, "c": {Search: "c"},
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
	j.f.cut(true)
	texts, _, err := j.read(t, store.Query{})
	wants(t, err, store.ErrUnreachable)
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
	j.ask(t, "there")
	j.f.stalled, j.patience = true, time.Millisecond
	texts, _, err := j.read(t, store.Query{})
	wants(t, err, store.ErrUnreachable)
	if texts != "here" {
		t.Errorf("got %q", texts)
	}
	if j.failed.Load() == nil {
		t.Error("a question that is asked now waits as long again")
	}
}

// Where the shared desk says why it does not answer in time, callers learn it.
func TestLateNamesTheCause(t *testing.T) {
	j := join(t)
	j.patience = time.Millisecond
	j.f.Before(func(ctx context.Context, _ desktest.Call) error {
		<-ctx.Done()
		return fmt.Errorf("%w: the certificate is not trusted", store.ErrUnreachable)
	})
	_, _, err := j.read(t, store.Query{})
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
}

// What follows a call that the shared desk did not answer has little time there, until it
// answers one.
func TestLittleTimeAfterFailure(t *testing.T) {
	j := join(t)
	row := j.ask(t, "there")
	j.pause, j.patience = time.Hour, time.Millisecond
	j.f.cut(true)
	_, err := j.Get(t.Context(), row.ID)
	wants(t, err, store.ErrUnreachable)
	j.f.cut(false)
	j.f.stalled = true
	failed := j.failed.Load()
	_, err = j.Get(t.Context(), row.ID) // else it would wait as long as the test
	wants(t, err, store.ErrUnreachable)
	if j.failed.Load() != failed {
		t.Error("a desk that is slow never has more time while calls follow each other")
	}
	j.pause = 0
	_, err = j.Get(t.Context(), row.ID) // this one has some, and decides
	wants(t, err, store.ErrUnreachable)
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
	row := j.ask(t, "sent?")
	fatal.If(t, j.Note(t.Context(), row.ID, store.Draft, draft("shared")))
	j.f.cut(true)
	err := j.Answer(t.Context(), row.ID, end("yes"))
	wants(t, err, store.ErrUnreachable)
	if strings.Contains(err.Error(), "draft") { // which the caller keeps, of an answer and not of a withdrawal
		t.Error(err)
	}
	fatal.If(t, j.Note(t.Context(), row.ID, store.Draft, draft("yes")))
	wants(t, j.Note(t.Context(), row.ID, store.Shown, draft("tty")), store.ErrUnreachable)
	j.f.cut(false)

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
	wants(t, j.Note(t.Context(), row.ID, store.Draft, draft("late")), store.ErrAnswered)
}

func TestDraftOfEndedRow(t *testing.T) {
	j := join(t)
	row := j.ask(t, "ended")
	j.f.cut(true)
	fatal.If(t, j.Note(t.Context(), row.ID, store.Draft, draft("mine")))
	fatal.If(t, j.f.own.Answer(t.Context(), row.ID, end("theirs")))
	j.f.cut(false)
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

func TestWaitOutlastsOutage(t *testing.T) {
	j := join(t)
	row := j.ask(t, "waiting")
	j.f.cut(true)
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
	j.f.cut(false)
	if row := <-got; string(row.Outcome) != "yes" {
		t.Errorf("waited for %q", row.Outcome)
	}
}

func TestChangesOfBoth(t *testing.T) {
	j := join(t)
	row := j.ask(t, "there")
	j.f.cut(true)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	changes, err := j.Changes(ctx, "")
	fatal.If(t, err)
	j.ask(t, "here")
	waittest.Take(t, changes)
	fatal.If(t, j.f.own.Answer(ctx, row.ID, end("yes")))
	j.f.cut(false)
	waittest.Take(t, changes) // it answers again
	fatal.If(t, j.f.own.Delivered(ctx, row.ID))
	waittest.Take(t, changes)
}

func TestPresentOnBoth(t *testing.T) {
	j := join(t)
	j.f.cut(true)
	open, leave := context.WithCancel(t.Context())
	inbox, err := j.Changes(open, "inbox")
	fatal.If(t, err)
	names, err := j.Present(t.Context())
	if err != nil || !slices.Equal(names, []string{"inbox"}) {
		t.Errorf("present: %q, %v", names, err)
	}
	_, err = j.f.own.Changes(t.Context(), "phone")
	fatal.If(t, err)
	j.f.cut(false)
	known := func() bool {
		return slices.Equal(presentAt(t, j), []string{"inbox", "phone"}) && slices.Contains(presentAt(t, j.f.own), "inbox")
	}
	if !waittest.Until(waittest.Patience, known) {
		t.Errorf("present: %q", presentAt(t, j))
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
	names, err := s.Present(t.Context())
	fatal.If(t, err)
	return names
}
