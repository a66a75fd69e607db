package desk_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"mcp-askuser/desk"
)

// BenchmarkAsk is the commit of one question.
func BenchmarkAsk(b *testing.B) {
	d := open(b, storeDir(b))
	for b.Loop() {
		ask(b, d)
	}
}

// BenchmarkAskTogether is the same with many askers at once.
func BenchmarkAskTogether(b *testing.B) {
	d := open(b, storeDir(b))
	b.SetParallelism(64)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			ask(b, d)
		}
	})
}

// BenchmarkWake is the time from before a reply, given in another process's
// desk, until the waiter has the record: the commit included.
func BenchmarkWake(b *testing.B) {
	dir := storeDir(b)
	asking, answering := open(b, dir), open(b, dir)
	reply := says("yes")
	var took []time.Duration
	for b.Loop() {
		b.StopTimer()
		rec := ask(b, asking)
		waiting := make(chan struct{})
		woken := make(chan time.Time)
		go func() {
			close(waiting)
			if _, err := asking.Wait(b.Context(), rec.ID); err != nil {
				b.Error(err)
			}
			woken <- time.Now()
		}()
		<-waiting
		b.StartTimer()
		start := time.Now()
		if _, err := answering.Reply(b.Context(), rec.ID, reply, desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
			b.Fatal(err)
		}
		took = append(took, (<-woken).Sub(start))
	}
	report(b, took)
}

// BenchmarkWakeAmongMany is the time from before a reply until its waiter has
// the record, while 199 other processes have a question open and somebody
// watches the desk.
func BenchmarkWakeAmongMany(b *testing.B) {
	const waiters = 200
	dir := storeDir(b)
	d := open(b, dir)
	ctx, stop := context.WithCancel(b.Context())
	events, err := d.Watch(ctx)
	if err != nil {
		b.Fatal(err)
	}
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		for range events {
		}
	}()
	peers := make([]*peer, waiters)
	ids := make([]string, waiters)
	for i := range peers {
		peers[i] = startPeer(b, "wait", dir, fmt.Sprint(i))
	}
	for i, p := range peers {
		ids[i] = p.hear()
	}
	var took []time.Duration
	for i := 0; b.Loop(); i = (i + 1) % waiters {
		start := time.Now()
		if _, err := d.Reply(b.Context(), ids[i], says("yes"), desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
			b.Fatal(err)
		}
		woken, err := strconv.ParseInt(peers[i].hear(), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Duration(woken-start.UnixNano()))
		b.StopTimer()
		ids[i] = peers[i].hear() // asks the next
		b.StartTimer()
	}
	stop()
	<-seen
	report(b, took)
}

// playWaiter asks and waits, again and again; it says the id, then when it woke.
func playWaiter(ctx context.Context, d *desk.Desk, name string) error {
	for n := 0; ; n++ {
		rec, attendance, err := d.Submit(ctx, desk.Request{Set: request(fmt.Sprint(name, n)).Set, Asker: asker})
		if err != nil {
			return err
		}
		fmt.Println(rec.ID)
		if _, err := d.Wait(ctx, rec.ID); err != nil {
			return err
		}
		fmt.Println(time.Now().UnixNano())
		if err := d.Archive(ctx, rec.ID); err != nil {
			return err
		}
		attendance.Release()
	}
}

// report adds the percentiles of what was measured.
func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// archived fills a store with so many records of the past and returns one of
// them.
func archived(b *testing.B, dir string, size int) desk.Record {
	b.Helper()
	d := open(b, dir)
	rec := ask(b, d)
	if _, err := d.Reply(b.Context(), rec.ID, says("yes"), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
		b.Fatal(err)
	}
	if err := d.Archive(b.Context(), rec.ID); err != nil {
		b.Fatal(err)
	}
	month := filepath.Join(dir, "archive", rec.CreatedAt.Format("2006-01"))
	whole, err := os.ReadFile(filepath.Join(month, rec.ID+".json"))
	if err != nil {
		b.Fatal(err)
	}
	for range size {
		id := ulid.Make().String()
		data := bytes.ReplaceAll(whole, []byte(rec.ID), []byte(id))
		if err := os.WriteFile(filepath.Join(month, id+".json"), data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return rec
}

// BenchmarkPast is what one does with a desk that has 100,000 records of the
// past, and none: listing what is open, asking anew and answering must cost
// the same.
func BenchmarkPast(b *testing.B) {
	for _, size := range []int{0, 100_000} {
		dir := storeDir(b)
		rec := archived(b, dir, size)
		d := open(b, dir)
		ask(b, d) // one is open
		count := func(q desk.Query) (n int) {
			for _, err := range d.History(b.Context(), q) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			return n
		}
		for _, bench := range []struct {
			name string
			do   func() error
		}{
			{"pending", func() error { _, err := d.Pending(b.Context()); return err }},
			{"get", func() error { _, err := d.Get(b.Context(), rec.ID); return err }},
			{"prefix", func() error { _, err := d.Find(b.Context(), rec.ID[:25]); return err }},
			{"submit-and-answer", func() error {
				r := desk.Request{Set: set(), Asker: asker}
				r.Set.Questions[0].Text = ulid.Make().String()
				rec, attendance, err := d.Submit(b.Context(), r)
				if err != nil {
					return err
				}
				defer attendance.Release()
				if _, err = d.Reply(b.Context(), rec.ID, says("x"), desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
					return err
				}
				return d.Archive(b.Context(), rec.ID)
			}},
			{"search", func() error { count(desk.Query{Search: "nowhere to be found"}); return nil }},
			{"newest", func() error { count(desk.Query{Limit: 20}); return nil }},
		} {
			b.Run(fmt.Sprintf("%s/%d", bench.name, size), func(b *testing.B) {
				for b.Loop() {
					if err := bench.do(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkPrune is the time for one question of the past, with its places in the
// indexes: go test -bench Prune -benchtime 100000x, with TMPDIR on a disk of one's
// choice.
func BenchmarkPrune(b *testing.B) {
	dir := storeDir(b)
	now := begin
	d := desk.New(openSpool(b, dir), desk.Options{Now: func() time.Time { return now }})
	for i := range b.N {
		s := set()
		s.Questions[0].Text = strconv.Itoa(i)
		rec := must(d.Ask(b.Context(), s, "s"+strconv.Itoa(i/20), asker))
		must(d.Reply(b.Context(), rec.ID, says("DuckDB"), desk.Evidence{Surface: "web", How: desk.HowPage}))
		if err := d.Archive(b.Context(), rec.ID); err != nil {
			b.Fatal(err)
		}
		now = now.Add(time.Minute)
	}
	old := at(b, dir, now.AddDate(0, 0, 2), desk.Options{})
	b.ResetTimer()
	months, err := old.Prune(b.Context(), now, false)
	b.StopTimer()
	n := 0
	for _, m := range months {
		n += m.Questions
	}
	if left := files(b, dir); err != nil || n != b.N || len(left) > 0 {
		b.Errorf("pruned %d of %d, left %d, %v", n, b.N, len(left), err)
	}
}
