package askuser

import "testing"

// A reason is part of a sentence, whose full stop follows it.
func TestCancelledHasNoFullStop(t *testing.T) {
	const want = "cancelled by the client: AbortError: The operation was aborted"
	if got := (&Cancelled{"AbortError: The operation was aborted."}).Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
