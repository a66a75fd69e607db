package present_test

import (
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/ui/present"
)

// The time of the call that asks a question again counts, and not that of the one before, which
// no longer waits.
func TestTimeoutOfTheCallThatAsksAgain(t *testing.T) {
	for _, here := range []bool{true, false} { // the call before is of this process, of another
		for _, tc := range []struct {
			before, again time.Duration
			want          string
		}{
			{0, time.Millisecond, "timeout  "},
			{time.Hour, time.Millisecond, "timeout  "},
			{time.Nanosecond, 0, "answered inbox A"},
		} {
			r := newRig(t)
			before, again := request(), request()
			before.Timeout, again.Timeout = tc.before, tc.again
			var id string
			switch {
			case !here:
				rec, attendance, err := r.desk.Submit(t.Context(), before)
				if err != nil {
					t.Fatal(err)
				}
				attendance.Release()
				id = rec.ID
			case tc.before == time.Nanosecond: // it would have ended
				continue
			default:
				first := r.askFor(present.Question{Request: before, Surfaces: on(newStays("one")), Interrupted: desk.Dismissed})
				first.Leave()
				id = first.Record().ID
			}
			w := r.askFor(present.Question{Request: again, Surfaces: on(newStays("two")), Interrupted: desk.Dismissed})
			if w.Record().ID != id {
				t.Fatal("it is asked twice")
			}
			if tc.again == 0 {
				r.elsewhere(id, "a")
			}
			r.ends(tc.want, w)
		}
	}
}
