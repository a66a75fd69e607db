package desk_test

import (
	"fmt"
	"testing"
)

// An open question that its agent does not wait for is a round: an agent can neither fill the
// inbox by not waiting, nor escape the limit with one question that it leaves open. Questions
// that are waited for side by side are none.
func TestOpenRounds(t *testing.T) {
	r := newRounds(t, 3)
	for i := range 4 {
		_, attendance := submit(t, r.desk(), request(fmt.Sprintf("Side by side %d?", i)))
		defer attendance.Release()
	}
	_, attendance := submit(t, r.desk(), request("Not waited for?"))
	attendance.Release()
	r.hasRoom(2)
	r.isFull()
}
