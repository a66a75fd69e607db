package local

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
)

// A query that selects few rows of a long history finds them by an index, and reads no others.
func TestQueriesUseIndexes(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "store"))
	defer func() { _ = s.Close() }()
	db, err := s.database(t.Context(), true)
	fatal.If(t, err)
	now := time.Now()
	for name, q := range map[string]store.Query{
		"open":               {Open: true, Ascend: true},
		"to take over":       {Content: "c", Kept: now, Ascend: true},
		"of a session":       {Session: "s"},
		"of a run":           {Run: "r"},
		"changed":            {After: store.Revision{Own: 1}},
		"by an id's start":   {Ended: true, Prefix: "01"},
		"that reopen":        {Earlier: "e"},
		"since":              {Ended: true, Since: now},
		"since in a project": {Project: "p", Since: now},
		"the last since":     {Ended: true, Since: now, Limit: 50},
	} {
		condition, args := where(q)
		rows, err := db.QueryContext(t.Context(), `explain query plan select `+columns+` from record`+condition, args...)
		fatal.If(t, err)
		for rows.Next() {
			id, parent, unused, step := 0, 0, 0, ""
			fatal.If(t, rows.Scan(&id, &parent, &unused, &step))
			scans := strings.HasPrefix(step, "SCAN record") && !strings.Contains(step, "is_open")
			if scans || strings.HasPrefix(step, "LIST SUBQUERY") { // which makes a list of all before the first is read
				t.Errorf("%s: %s", name, step)
			}
		}
		_ = rows.Close()
	}
}
