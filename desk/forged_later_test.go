package desk_test

import (
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
)

// An asker does not undo the user's reply by a word of its host, which had no dialog.
func TestForgedWordOfTheHost(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	rec := ask(t, d)
	reply(t, d, rec.ID, "no")
	const doc = `{"id":"x","status":"cancelled","reason":"never asked","at":"2026-11-03T09:00:00Z"}`
	later := func([]byte) ([]byte, error) { return []byte(doc), nil }
	err := openStore(t, dir).Note(t.Context(), rec.ID, store.Later, later)
	fatal.If(t, err)
	got := must(d.Get(t.Context(), rec.ID))
	if got.State != desk.Answered || got.Later != nil {
		t.Errorf("it reads as %s", got.State)
	}
}
