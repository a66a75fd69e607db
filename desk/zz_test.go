package desk_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcp-askuser/desk"
)

func BenchmarkMany(b *testing.B) {
	const n = 11984
	dir := filepath.Join(os.TempDir(), fmt.Sprint("many", os.Getpid()))
	defer os.RemoveAll(dir)
	d := open(b, dir)
	rec := ask(b, d)
	whole, _ := os.ReadFile(filepath.Join(dir, "pending", rec.ID+".json"))
	if err := d.SetShown(b.Context(), rec.ID, []desk.Showing{{Surface: "inbox"}}); err != nil {
		b.Fatal(err)
	}
	shown, _ := os.ReadFile(filepath.Join(dir, "showing", rec.ID+".json"))
	os.MkdirAll(filepath.Join(dir, "askers"), 0o700)
	var ids []string
	for i := range n - 1 {
		id := fmt.Sprintf("%s%06d", rec.ID[:20], i)
		ids = append(ids, id)
		data := bytes.ReplaceAll(whole, []byte(rec.ID), []byte(id))
		os.WriteFile(filepath.Join(dir, "pending", id+".json"), data, 0o600)
		os.WriteFile(filepath.Join(dir, "showing", id+".json"), shown, 0o600)
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if recs, err := d.Pending(b.Context()); err != nil || len(recs) != n {
				b.Fatal(len(recs), err)
			}
		}
	})
	for _, id := range ids {
		a, err := d.Attend(b.Context(), id)
		if err != nil {
			b.Fatal(err)
		}
		defer a.Release()
	}
	b.Run("attended", func(b *testing.B) {
		for b.Loop() {
			if recs, err := d.Pending(b.Context()); err != nil || len(recs) != n {
				b.Fatal(len(recs), err)
			}
		}
	})
	b.Run("watch", func(b *testing.B) {
		for b.Loop() {
			at := time.Now()
			_, err := d.Watch(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			_ = at
		}
	})
}
