package desk

import (
	"strings"
	"testing"
)

// Who comes too late reads a sentence, however the question has ended.
func TestClosedError(t *testing.T) {
	for status, want := range map[Status]string{
		Answered: "was already answered (web) at ",
		Discuss:  "was already put back to be discussed (web) at ",
		Timeout:  "was already closed as its time was up (web) at ",
	} {
		if got := (&ClosedError{Outcome: Outcome{Status: status, Surface: "web"}}).Error(); !strings.Contains(got, want) {
			t.Errorf("%s, want %q", got, want)
		}
	}
}
