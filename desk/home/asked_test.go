//go:build unix

package home_test

import (
	"encoding/json"
	"testing"

	natsgo "github.com/nats-io/nats.go"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
)

// One who comes back for an answer in another process compares it with what was
// asked on this machine: a question that was changed since, before anybody saw
// it, is not delivered.
func TestSwappedWhileNobodyWaited(t *testing.T) {
	c := natstest.Start(t, 1)
	dir := t.TempDir()
	agent := func() *desk.Desk {
		return desk.New(machine(t, c, dir, nodes.Agent, "bot"), desk.Options{})
	}
	rec, attendance, err := agent().Submit(t.Context(), request("Run tests?"))
	if err != nil {
		t.Fatal(err)
	}
	attendance.Release()
	rec.Attended, rec.Questions[0].Text = false, "Delete prod?"
	data, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	m := natsgo.NewMsg("_R_.ask.pending.bot." + rec.ID + ".bot")
	m.Header.Set("Ask-Op", "put")
	m.Data = data
	if _, err := c.Connect(natstest.Account, nodes.Operator, "", make(chan error, 10)).RequestMsg(m, natstest.Patience); err != nil {
		t.Fatal(err)
	}
	if _, err := desk.New(open(t, c, nodes.Human, "alice"), desk.Options{}).Reply(t.Context(), rec.ID, says("b"), desk.Evidence{Surface: "web", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	if got, err := agent().Wait(t.Context(), rec.ID); err != nil || got.State != desk.Failed || got.Reply() != nil {
		t.Errorf("it is %s %+v, %v", got.State, got.Outcome, err)
	}
}
