//go:build unix

package shared_test

import (
	"slices"
	"testing"

	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// An agent adds no rounds to the session of another, which could be refused for them: an agent sees
// its own rows and those of humans there, a human all.
func TestAnAgentJoinsNoSessionOfAnother(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 1)
	bot, other, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Agent, "other"), c.Open(nodes.Human, "alice")
	ask := func(s store.Store, text string) string {
		row := storetest.NewRow(text)
		row.Session, row.Run = "s", "r"
		row, err := s.Ask(t.Context(), row)
		fatal.If(t, err)
		return row.ID
	}
	own, reopened, foreign := ask(bot, "Mine?"), ask(alice, "Again?"), ask(other, "Not theirs?")
	for name, q := range map[string]store.Query{"session": {Session: "s"}, "run": {Run: "r"}} {
		if got := idsOf(t, bot, q); !slices.Equal(got, []string{reopened, own}) {
			t.Errorf("%s of the agent: %q", name, got)
		}
		if got := idsOf(t, alice, q); !slices.Equal(got, []string{foreign, reopened, own}) {
			t.Errorf("%s for a human: %q", name, got)
		}
	}
}
