package ntfy

import (
	"strings"
	"testing"
)

// A message of more than 4,096 bytes arrives as a file beside the buttons, which the user has not
// read. Marks that make a character taller make it no wider.
func TestLargeMessageHasNoButtons(t *testing.T) {
	p := phone(t, openDesk(t), "https://ntfy.example", nil)
	set := choice("A", "B")
	set.Questions[0].Description = strings.Repeat("a"+strings.Repeat("\u0301", 30), 80)
	rec := ask(t, p.Desk, set)
	if m := p.notification(rec); m.Actions != nil {
		t.Errorf("buttons beside a message of %d bytes", len(m.Message))
	}
}
