package present_test

import (
	"syscall"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/present"
)

// Work on a record moves its deadline. Where the store cannot be read at the deadline, the record
// does not end before the store was read.
func TestDeadlineThatCannotBeRead(t *testing.T) {
	r := newRig(t)
	failed := r.fails("Get", syscall.EMFILE)
	q := request()
	q.Timeout = 50 * time.Millisecond
	w := r.askFor(present.Question{Request: q, Surfaces: on(newStays("one"))})
	began := time.Now()
	eventually(t, "the deadline is read again", func() bool { return failed.Load() >= 3 && time.Since(began) > q.Timeout })
	err := r.desk.SaveDraft(t.Context(), w.Record().ID, question.Reply{})
	if err != nil {
		t.Fatal(err)
	}
	saved := time.Now()
	r.store.Before(nil)
	rec := r.end(w)
	if rec.State != desk.Timeout || rec.Outcome.At.Before(saved) {
		t.Errorf("it ended %s, %v after the last work", rec.State, rec.Outcome.At.Sub(saved))
	}
}
