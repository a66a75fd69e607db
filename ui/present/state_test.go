package present

import "testing"

// No event opens a record that has ended, or changes the state that refuses it.
func TestTransitions(t *testing.T) {
	for s := idle; s <= ended; s++ {
		for e := show; e <= over; e++ {
			next, do := s.next(e)
			if s.closed() && !next.closed() {
				t.Errorf("event %d in state %d leads to %d", e, s, next)
			}
			if do == refused && next != s {
				t.Errorf("event %d is refused in state %d, but leads to %d", e, s, next)
			}
		}
	}
}
