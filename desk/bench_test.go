package desk_test

import (
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

// BenchmarkGetArchived reads one of 100,000 archived records of one month.
func BenchmarkGetArchived(b *testing.B) {
	const size = 100_000
	dir := storeDir(b)
	d := open(b, dir)
	rec := ask(b, d)
	if _, err := d.Reply(b.Context(), rec.ID, says("yes"), "tty"); err != nil {
		b.Fatal(err)
	}
	if err := d.Archive(b.Context(), rec.ID); err != nil {
		b.Fatal(err)
	}
	month := filepath.Join(dir, "archive", rec.CreatedAt.Format("2006-01"))
	for range size {
		name := filepath.Join(month, ulid.Make().String()+".json")
		if err := os.WriteFile(name, []byte("{}"), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for name, find := range map[string]func() (desk.Record, error){
		"by id":     func() (desk.Record, error) { return d.Get(b.Context(), rec.ID) },
		"by prefix": func() (desk.Record, error) { return d.Find(b.Context(), rec.ID[:25]) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if got, err := find(); err != nil || got.ID != rec.ID {
					b.Fatal(fmt.Sprint(got.ID, err))
				}
			}
		})
	}
}
