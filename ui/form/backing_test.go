package form

import (
	"path/filepath"
	"testing"

	"mcp-askuser/desk"
)

func TestSigning(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	d := desk.New(nil, desk.Options{Prove: desk.ProveConfirm})
	confirmation, other := record(deploy()), record(database())
	prove := other
	prove.Prove = true
	for name, tc := range map[string]struct {
		backing Backing
		want    string
	}{
		"below home":    {Backing{d, prove, filepath.Join(home, ".ssh", "id")}, "Sending signs your answer with ~/.ssh/id."},
		"elsewhere":     {Backing{d, prove, "/keys/\x1bid"}, "Sending signs your answer with /keys/␛id."},
		"by the policy": {Backing{d, confirmation, "/keys/id"}, "Sending signs your answer with /keys/id."},
		"no key":        {Backing{d, prove, ""}, "This answer must be signed, on the page: mcp-askuser web --open"},
		"no proof":      {Backing{d, other, "/keys/id"}, ""},
		"no desk":       {Backing{nil, prove, "/keys/id"}, ""},
	} {
		if got := tc.backing.Signing(); got != tc.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestEarlier: the earlier rounds of the session, the latest first.
func TestEarlier(t *testing.T) {
	got := earlier([]desk.Record{{ID: "a", Round: 1}, {ID: "r", Round: 3}, {ID: "b", Round: 2}, {ID: "c", Round: 4}}, 3)
	if len(got) != 2 || got[0].ID != "b" || got[1].ID != "a" {
		t.Errorf("got %+v", got)
	}
}
