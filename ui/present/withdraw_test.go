package present_test

import (
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/ui/present"
)

// Of two calls that ask the same question, as two subagents do, one withdraws it for itself
// alone. The last one ends the record.
func TestWithdrawOneOfTwo(t *testing.T) {
	r := newRig(t)
	ask := func() *present.Waiter { return r.ask(newStays("one")) }
	first, second := ask(), ask()
	first.Withdraw("the first")
	first.Leave()
	r.elsewhere(second.Record().ID, "a")
	r.ends("answered inbox A", second)
	second.Delivered()

	first, second = ask(), ask()
	first.Withdraw("the first")
	second.Withdraw("the last")
	if rec := r.end(second); rec.State != desk.Cancelled || rec.Outcome.Reason != "the last" {
		t.Errorf("the end is %+v", rec.Outcome)
	}
}
