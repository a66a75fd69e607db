package desk_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
		if _, err := answering.Reply(b.Context(), rec.ID, reply, "tty"); err != nil {
			b.Fatal(err)
		}
		took = append(took, (<-woken).Sub(start))
	}
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
	if _, err := d.Reply(b.Context(), rec.ID, says("yes"), "tty"); err != nil {
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
				if _, err = d.Reply(b.Context(), rec.ID, says("x"), "tty"); err != nil {
					return err
				}
				return d.Collect(b.Context(), rec.ID)
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
