package desk_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"mcp-askuser/desk"
)

// Invariant: an answer that lands at any moment between the commit of the
// question and the wait for it wakes the waiter.
func TestNoAnswerSlipsPastTheWaiter(t *testing.T) {
	const runs, atOnce = 1000, 10
	ctx := deadline(t)
	dir := storeDir(t)
	asking, answering := open(t, dir), open(t, dir)
	var wg sync.WaitGroup
	for worker := range atOnce {
		wg.Go(func() {
			for i := range runs / atOnce {
				want := strconv.Itoa(worker*runs + i)
				rec, err := asking.Ask(ctx, set(), "", asker)
				if err != nil {
					t.Error(err)
					return
				}
				replied := make(chan error, 1)
				go func() {
					_, err := answering.Reply(ctx, rec.ID, says(want), desk.Evidence{Surface: "tty", How: desk.HowPage})
					replied <- err
				}()
				got, err := asking.Wait(ctx, rec.ID)
				if err != nil || text(got) != want {
					t.Errorf("waited for %q: got %q, %v", want, text(got), err)
					return
				}
				if err := <-replied; err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// withoutBells is a desk as it is where the system has none.
func withoutBells(t *testing.T, dir string) *desk.Desk {
	s := openSpool(t, dir)
	return desk.New(&tampered{Store: s, watch: s.Watch}, desk.Options{})
}

// File notification is scarce: a thousand waiters take none, and where there
// are no bells, all of a process share one.
func TestThousandWaiters(t *testing.T) {
	t.Run("with bells", func(t *testing.T) {
		dir := storeDir(t)
		watches := 1
		if runtime.GOOS == "linux" {
			watches = 0
		}
		manyWait(t, open(t, dir), open(t, dir), 1000, watches)
		nothingLeft(t, dir, "bells")
	})
	t.Run("without", func(t *testing.T) {
		dir := storeDir(t)
		manyWait(t, withoutBells(t, dir), open(t, dir), 100, 1)
	})
}

func manyWait(t *testing.T, asking, answering *desk.Desk, waiters, watches int) {
	t.Helper()
	ctx := deadline(t)
	before := inotifyInstances(t)
	ids := make([]string, waiters)
	var asked sync.WaitGroup
	for i := range ids {
		asked.Go(func() {
			rec, err := asking.Ask(ctx, set(), "", asker)
			if err != nil {
				t.Error(err)
			}
			ids[i] = rec.ID
		})
	}
	asked.Wait()

	var waiting sync.WaitGroup
	for i, id := range ids {
		waiting.Go(func() {
			rec, err := asking.Wait(ctx, id)
			if err != nil || text(rec) != strconv.Itoa(i) {
				t.Errorf("waiter %d got %q, %v", i, text(rec), err)
			}
			if err := asking.Archive(ctx, id); err != nil {
				t.Error(err)
			}
		})
	}
	for i, id := range ids {
		if _, err := answering.Reply(ctx, id, says(strconv.Itoa(i)), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
		if i == waiters/2 {
			if n := inotifyInstances(t) - before; n > watches {
				t.Fatalf("the waiters hold %d watches", n)
			}
		}
	}
	waiting.Wait()
}

// inotifyInstances counts the watches of this process, where that can be seen.
func inotifyInstances(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	n := 0
	for _, f := range files {
		if to, _ := os.Readlink("/proc/self/fd/" + f.Name()); to == "anon_inode:inotify" {
			n++
		}
	}
	return n
}

func TestWaitEndsWithItsContext(t *testing.T) {
	d := open(t, storeDir(t))
	rec := ask(t, d)
	cause := errors.New("the client has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := d.Wait(ctx, rec.ID)
		ended <- err
	}()
	cancel(cause)
	if err := <-ended; !errors.Is(err, cause) {
		t.Errorf("Wait: %v", err)
	}
	if got, err := d.Get(t.Context(), rec.ID); err != nil || got.State != desk.Pending {
		t.Errorf("the record is %q, %v", got.State, err)
	}
}

func TestWaitSurvivesTheArchiving(t *testing.T) {
	ctx := deadline(t)
	dir := storeDir(t)
	d, other := open(t, dir), open(t, dir)
	for range 50 {
		rec := ask(t, d)
		got := make(chan verdict, 1)
		go func() {
			rec, err := d.Wait(ctx, rec.ID)
			got <- verdict{winner: text(rec), err: err}
		}()
		if _, err := other.Reply(ctx, rec.ID, says("yes"), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
			t.Fatal(err)
		}
		if err := other.Archive(ctx, rec.ID); err != nil {
			t.Fatal(err)
		}
		if v := <-got; v.err != nil || v.winner != "yes" {
			t.Fatalf("waited: %q, %v", v.winner, v.err)
		}
	}
}

// A store that was removed, or cannot be read any more, is noticed by those who wait,
// without a beat and without a ring.
func TestWaitEndsWithItsStore(t *testing.T) {
	for name, lose := range map[string]func(dir string) error{
		"removed":     os.RemoveAll,
		"rooms alone": func(dir string) error { return os.RemoveAll(filepath.Join(dir, "pending")) },
		"closed": func(dir string) error {
			if os.Geteuid() == 0 { // whom no mode keeps out: the rooms are no directories any more
				if err := os.Rename(filepath.Join(dir, "replies"), filepath.Join(dir, "gone")); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				if err := os.WriteFile(filepath.Join(dir, "replies"), nil, 0o600); err != nil {
					return err
				}
				return os.Chmod(dir, 0o500)
			}
			return os.Chmod(dir, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := deadline(t)
			dir := storeDir(t)
			looked := make(chan struct{}, 100)
			d := desk.New(&tampered{Store: openSpool(t, dir), afterGet: func(kind desk.Kind) {
				if kind == desk.KindPending {
					looked <- struct{}{}
				}
			}}, desk.Options{})
			ids := []string{ask(t, open(t, dir)).ID, ask(t, open(t, dir)).ID}
			ended := make(chan error, len(ids))
			for _, id := range ids {
				go func() {
					_, err := d.Wait(ctx, id)
					ended <- err
				}()
			}
			for range ids {
				<-looked
			}
			if err := lose(dir); err != nil {
				t.Fatal(err)
			}
			for range ids {
				if err := <-ended; !errors.Is(err, desk.ErrLost) {
					t.Errorf("Wait: %v", err)
				}
			}
			_ = os.Chmod(dir, 0o700)
		})
	}
}

// A store that was taken away is noticed when somebody rings, and by whoever
// looks.
func TestWaitForWhatIsGone(t *testing.T) {
	ctx := deadline(t)
	dir := storeDir(t)
	changes, looked := make(chan desk.Change), make(chan struct{})
	d := desk.New(&tampered{Store: openSpool(t, dir), watch: func(context.Context) (<-chan desk.Change, error) {
		return changes, nil
	}, afterGet: once(desk.KindPending, func() { close(looked) })}, desk.Options{})
	rec := ask(t, d)
	ended := make(chan error, 1)
	go func() {
		_, err := d.Wait(ctx, rec.ID)
		ended <- err
	}()
	<-looked
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Get(ctx, rec.ID); !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("Get: %v", err)
	}
	changes <- desk.Change{}
	if err := <-ended; !errors.Is(err, desk.ErrLost) || !errors.Is(err, desk.ErrNotFound) {
		t.Errorf("Wait: %v", err)
	}
	close(changes)
}

func TestWaitNoticesThatTheStoreIsGone(t *testing.T) {
	ctx, cancel := context.WithCancel(deadline(t))
	defer cancel()
	dir := storeDir(t)
	d := withoutBells(t, dir)
	rec := ask(t, d)
	// A watch of the whole desk is up before Watch returns; the waiter below
	// shares it.
	events, err := d.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	leave := must(d.Announce(ctx, "inbox"))
	ended := make(chan error, 1)
	go func() {
		_, err := d.Wait(ctx, rec.ID)
		ended <- err
	}()
	for os.RemoveAll(dir) != nil { // the watch makes its directories anew meanwhile
	}
	// While it is being deleted, what fails first may be the watch.
	if err := <-ended; !errors.Is(err, desk.ErrNotFound) && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Wait: %v", err)
	}

	// The store begins anew, and so does the watch.
	again := ask(t, open(t, dir))
	seen := false
	for ev := range events {
		if seen = ev.Type == desk.Asked && ev.Record.ID == again.ID; seen {
			break
		}
	}
	if !seen { // the watch has failed: whoever watches begins one anew
		events = must(d.Watch(ctx))
	}
	if names, err := d.Present(ctx); err != nil || !slices.Equal(names, []string{"inbox"}) {
		t.Errorf("present are %q, %v", names, err)
	}
	leave()
	if names, err := d.Present(ctx); err != nil || names != nil {
		t.Errorf("still present are %q, %v", names, err)
	}
	// The watch must be over before the store is deleted again, for good.
	cancel()
	for range events {
	}
}
