package local

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
)

// BenchmarkQuestion is a question's way through the store: asked, answered elsewhere while
// it is waited for, delivered. It reports the 50th and 99th percentile of the time from the
// call of Answer to the end of Wait.
func BenchmarkQuestion(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "store")
	asker, answerer := Open(dir), Open(dir)
	var asked, woken []time.Duration
	for b.Loop() {
		begun := time.Now()
		row, err := asker.Ask(b.Context(), storetest.NewRow("Which?"))
		if err != nil {
			b.Fatal(err)
		}
		asked = append(asked, time.Since(begun))
		done := make(chan time.Time, 1)
		go func() {
			_, err := asker.Wait(b.Context(), row.ID)
			if err != nil {
				b.Error(err)
			}
			done <- time.Now()
		}()
		begun = time.Now()
		err = answerer.Answer(b.Context(), row.ID, store.Ending{Outcome: []byte("Yes")})
		if err != nil {
			b.Fatal(err)
		}
		woken = append(woken, (<-done).Sub(begun))
		err = asker.Delivered(b.Context(), row.ID)
		if err != nil {
			b.Fatal(err)
		}
	}
	for name, all := range map[string][]time.Duration{"ask": asked, "wake": woken} {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2].Seconds()*1000, name+"-p50-ms")
		b.ReportMetric(all[len(all)*99/100].Seconds()*1000, name+"-p99-ms")
	}
}

// BenchmarkRows reads from a store of 100,000 rows of 4 kB, of which 10,000 are open.
func BenchmarkRows(b *testing.B) {
	s := Open(filepath.Join(b.TempDir(), "store"))
	first, err := s.Ask(b.Context(), storetest.NewRow("First?"))
	if err != nil {
		b.Fatal(err)
	}
	fill(b, s, first.ID)
	for _, bench := range []struct {
		name string
		q    store.Query
		want int
	}{
		{"open", store.Query{Open: true}, 10_001},
		{"newest 50", store.Query{Ended: true, Limit: 50}, 50},
		{"search", store.Query{Search: "question 77777 "}, 1},
		{"session", store.Query{Session: "session 5"}, 100},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				n := 0
				for _, err := range s.Rows(b.Context(), bench.q) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != bench.want {
					b.Fatalf("%d rows, want %d", n, bench.want)
				}
			}
		})
	}
}

// fill writes 100,000 rows like the first, in one transaction.
func fill(b *testing.B, s *Store, first string) {
	db, err := s.database(b.Context(), false)
	if err != nil {
		b.Fatal(err)
	}
	write, err := db.BeginTx(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	add, err := write.Prepare(`insert into record select ?, ?, project, '', ?, 0, at, touched, keep, '', 1, ?, ?, ?, ?,
		null, null, null, null from record where id=?`)
	if err != nil {
		b.Fatal(err)
	}
	asked := []byte(strings.Repeat("x", 4000))
	for i := range 100_000 {
		var outcome any
		if i%10 > 0 {
			outcome = []byte(`{"status":"answered"}`)
		}
		id := storetest.NewRow("").ID
		session, text := fmt.Sprint("session ", i%1000), fmt.Sprintf("question %d of many", i)
		_, err = add.Exec(id, session, id, i+2, text, asked, outcome, first)
		if err != nil {
			b.Fatal(err)
		}
	}
	err = write.Commit()
	if err != nil {
		b.Fatal(err)
	}
}
