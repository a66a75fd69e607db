//go:build unix

package shared_test

import (
	"testing"

	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// A list of the last few rows does not read all that a desk has.
func limitReadsFew(t *testing.T, c *sharedtest.Cluster) {
	bot, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Human, "alice")
	var last []string
	for range 30 {
		row := storetest.Ask(t, bot, "Which?")
		storetest.Answer(t, alice, row.ID, "Yes")
		fatal.If(t, bot.Delivered(t.Context(), row.ID))
		last = append([]string{row.ID}, last...)
	}
	operator := c.Connect(nodes.Operator, "", make(chan error, 10))
	reads, err := operator.SubscribeSync("$JS.API.STREAM.MSG.GET.ASK")
	fatal.If(t, err)
	fatal.If(t, operator.Flush())
	found := idsOf(t, alice, store.Query{Ended: true, Limit: 2})
	if len(found) != 2 || found[0] != last[0] || found[1] != last[1] {
		t.Errorf("the last are %q, not %q", found, last[:2])
	}
	none := idsOf(t, alice, store.Query{Open: true, Limit: 2, Search: "nothing"})
	if len(none) > 0 {
		t.Errorf("found %q", none)
	}
	fatal.If(t, operator.Flush())
	n, _, err := reads.Pending()
	if err != nil || n > 30 {
		t.Errorf("%d reads, %v", n, err)
	}
}
