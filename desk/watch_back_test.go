package desk_test

import (
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
)

// A watcher of a store that is restored from a backup, whose revisions are lower, learns of what is
// open there, and of what is asked then.
func TestWatchRestored(t *testing.T) {
	dir := storeDir(t)
	other := open(t, dir)
	w := watch(t, dir)
	rec := ask(t, other)
	w.next(desk.Asked, rec, "")
	desktest.Exec(t, dir, `update counter set revision = 10`)
	desktest.Exec(t, dir, `update record set revision = 10`)
	again := ask(t, other)
	w.next(desk.Asked, again, "")
	reply(t, other, rec.ID, "x")
	w.next(desk.Ended, rec, "x")
}
