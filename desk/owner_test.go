package desk_test

import (
	"context"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
)

// owned is a store that knows which credential asked.
type owned struct{ store.Store }

func (s owned) Get(ctx context.Context, id string) (store.Row, error) {
	row, err := s.Store.Get(ctx, id)
	row.Owner = "bot"
	return row, err
}

// The credential of an asker is what the store knows, whatever the asker has stored.
func TestCredentialIsNoClaim(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	rec := ask(t, d)
	desktest.Rewrite(t, dir, rec.ID, `"asker":{`, `"asker":{"credential":"ci",`)
	for want, d := range map[string]*desk.Desk{"": open(t, dir), "bot": desk.New(owned{openStore(t, dir)}, desk.Options{})} {
		got, err := d.Get(t.Context(), rec.ID)
		if err != nil || got.Asker.Credential != want {
			t.Errorf("asked by %q, %v, want %q", got.Asker.Credential, err, want)
		}
	}
}
