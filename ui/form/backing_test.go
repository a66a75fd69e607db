package form

import (
	"testing"

	"mcp-askuser/desk"
)

// TestEarlier: the earlier rounds of the session, the latest first.
func TestEarlier(t *testing.T) {
	got := earlier([]desk.Record{{ID: "a", Round: 1}, {ID: "r", Round: 3}, {ID: "b", Round: 2}, {ID: "c", Round: 4}}, 3)
	if len(got) != 2 || got[0].ID != "b" || got[1].ID != "a" {
		t.Errorf("got %+v", got)
	}
}
