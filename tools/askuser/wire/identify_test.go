package wire

import (
	"testing"

	"mcp-askuser/internal/fatal"
)

// An id that is made from a label names no other option: who says "c" means C, in answers, in defaults
// and in the keys of follow-ups, also beside C++.
func TestMadeIDsAreNoOtherLabels(t *testing.T) {
	for _, labels := range [][2]string{{"c++", "c"}, {"C++", "C"}, {"A", "a"}, {"c", "c#"}} {
		for i, label := range labels {
			call, err := DecodeAsk([]byte(`{"question":"Which language?","options":["`+labels[0]+`","`+labels[1]+`"],
				"default":"`+label+`"}`), mcpLimits())
			fatal.If(t, err)
			q := &call.Set.Questions[0]
			if o := q.Named(label); o != &q.Options[i] || !o.Default {
				t.Errorf("of %q, %q names %q, with the ids %q and %q", labels, label, o.Label, q.Options[0].ID, q.Options[1].ID)
			}
		}
	}
}
