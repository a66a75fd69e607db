package desk_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
)

// Invariant: what the store says was answered fits the question, or it was not
// answered: not for one who waits, looks, asks again or searches the past.
func TestForgedAnswers(t *testing.T) {
	for name, forged := range map[string]string{
		"an option that there is not": `{"answers":[{"question_id":"q1","selected":["mine"]}]}`,
		"another question":            `{"answers":[{"question_id":"q2","custom":"yes"}]}`,
		"two answers to one":          `{"answers":[{"question_id":"q1","custom":"a"},{"question_id":"q1","custom":"b"}]}`,
		"a reason beside an answer":   `{"answers":[{"question_id":"q1","custom":"a"}],"reason":"no"}`,
		"too long":                    `{"answers":[{"question_id":"q1","custom":"` + strings.Repeat("x", 10_001) + `"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx := deadline(t)
			dir := storeDir(t)
			var log bytes.Buffer
			d := desk.New(openStore(t, dir), desk.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			rec := detached(t, d, request("Which?"))
			doc := `{"id":"x","status":"answered","reply":` + forged + `,"surface":"tty","at":"2026-11-03T09:00:00Z"}`
			writeReply(t, dir, rec.ID, doc)
			if got, err := d.Wait(ctx, rec.ID); err != nil || got.State != desk.Failed || got.Reply() != nil {
				t.Errorf("waiting: %s, %v", got.State, err)
			}
			if !strings.Contains(log.String(), rec.ID) || !strings.Contains(log.String(), "Validation failed") {
				t.Errorf("the log says %q", log.String())
			}
			again := detached(t, d, request("Which?"))
			if again.ID == rec.ID || again.State != desk.Pending {
				t.Errorf("asked again: %s %s", again.ID, again.State)
			}
			for past, err := range d.History(ctx, desk.Query{}) {
				if err != nil || past.ID != rec.ID || past.State != desk.Failed {
					t.Errorf("the past: %s %s, %v", past.ID, past.State, err)
				}
			}
			got, err := d.Get(ctx, rec.ID)
			if err != nil || got.State != desk.Failed {
				t.Errorf("looking: %s, %v", got.State, err)
			}
		})
	}
}

// writeReply puts a document into a store as the outcome of a record, past the desk.
func writeReply(t *testing.T, dir, id, doc string) {
	t.Helper()
	fatal.If(t, openStore(t, dir).Answer(t.Context(), id, store.Ending{Outcome: []byte(doc)}))
}

// An asker does not undo the user's reply by a word of its host, which had no dialog.
func TestForgedWordOfTheHost(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	rec := ask(t, d)
	reply(t, d, rec.ID, "no")
	const doc = `{"id":"x","status":"cancelled","reason":"never asked","at":"2026-11-03T09:00:00Z"}`
	later := func([]byte) ([]byte, error) { return []byte(doc), nil }
	fatal.If(t, openStore(t, dir).Note(t.Context(), rec.ID, store.Later, later))
	got := must(d.Get(t.Context(), rec.ID))
	if got.State != desk.Answered || got.Later != nil {
		t.Errorf("it reads as %s", got.State)
	}
}
