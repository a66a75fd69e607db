package term

import "testing"

// TestEntryKeepsEveryCharacter: what a human has typed, or is offered as the answer,
// comes out of an entry as it went in, also what a screen shows as something plainer.
func TestEntryKeepsEveryCharacter(t *testing.T) {
	for _, s := range []string{"👍🏽", "👨‍👩‍👧 and 🇩🇪", "1️⃣ ❤️", "数据库", "é̈", "one\n\ntwo"} {
		if got := NewEntry(s, "").Text(); got != s {
			t.Errorf("%q became %q", s, got)
		}
		e := NewEntry("", "")
		if e.Set(s); e.Text() != s {
			t.Errorf("%q became %q", s, e.Text())
		}
	}
}
