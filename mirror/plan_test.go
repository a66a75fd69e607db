package mirror_test

import (
	"strings"
	"testing"

	"mcp-askuser/question"
)

// A plan that is sent back is to be changed: it is no forbidden action.
func TestPlanSentBack(t *testing.T) {
	b := start(t, t.TempDir(), asksLeave(`"tool_name":"ExitPlanMode","tool_input":{"plan":"# Plan"}`), permitted)
	b.reply(b.record(), question.Reply{Answers: []question.Answer{choice("q1", question.NoID)}, Note: "add tests"})
	const want = `"deny","message":"User does not go on with this plan yet. They write: \"add tests\". Stay in plan mode,`
	if said := b.printed(); !strings.Contains(said, want) {
		t.Errorf("printed %s", said)
	}
}
