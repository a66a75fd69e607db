//go:build unix

package nats_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/desk/storetest"
)

// archive has questions asked, answered and put away.
func archive(t *testing.T, agent, human *desk.Desk) (all []storetest.Acknowledged) {
	t.Helper()
	c := storetest.Conversation{Asker: agent, Human: human, Says: func(a storetest.Acknowledged) {
		if a.Progress == storetest.PutAway {
			all = append(all, a)
		}
	}}
	for i := range 12 {
		if err := c.Run(t.Context(), fmt.Sprintf("question %c.", 'a'+i), storetest.PutAway); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Invariant: one flipped bit on the disk of one node makes no question unknown and no
// answer wrong. A reader learns of it where that node leads, and gets it right where
// another leads.
func TestFlippedBit(t *testing.T) {
	for _, stream := range []string{nats.StreamPast, nats.StreamHuman} {
		t.Run(stream, func(t *testing.T) { testFlippedBit(t, stream) })
	}
}

func testFlippedBit(t *testing.T, stream string) {
	c := natstest.Start(t, 3)
	store, alice := c.Open(natstest.Account, nodes.Agent, "bot"), c.Open(natstest.Account, nodes.Human, "alice")
	agent, human := desk.New(store, desk.Options{}), desk.New(alice, desk.Options{})
	all := archive(t, agent, human)
	hurt := all[len(all)/2]
	sweep(t, c, alice, hurt.ID)
	damaged := c.Leader()
	node := c.Nodes[damaged].Name
	c.Quit(damaged) // with all that it has in order: it looks at nothing again
	flip(t, filepath.Join(c.Data(damaged), "jetstream", natstest.Account, "streams", stream), hurt.Name+"xxx")
	c.Restart(damaged)
	awaitDesk(t, store)
	c.Leader()
	lead(t, c, stream, node)

	unread := 0
	for _, a := range all {
		rec, err := agent.Get(t.Context(), a.ID)
		switch {
		case err == nil && (rec.State != desk.Answered || !strings.HasPrefix(rec.Outcome.Reply.Answers[0].Custom, a.Name+"xxx")):
			t.Errorf("%s has the outcome %+v", a.Name, rec.Outcome)
		case err == nil:
		case a == hurt && strings.Contains(err.Error(), node+" leads"):
			unread++
		default:
			t.Errorf("%s: %v", a.Name, err)
		}
	}
	if unread != 1 {
		t.Error("no reader learns of the damage: this proves nothing, or the node has mended it")
	}
	c.Kill(damaged)
	awaitDesk(t, store)
	var report storetest.PowerReport
	natstest.Await(t, func() error { _, err := agent.Get(t.Context(), hurt.ID); return err })
	report.Check(t, &storetest.Conversation{Asker: agent, Human: human}, all)
	t.Log(report)
}

// Invariant: a node whose snapshots are damaged is named by the status, and the desk
// serves requests from the others.
func TestFlippedSnapshot(t *testing.T) {
	c := natstest.Start(t, 3)
	store := c.Open(natstest.Account, nodes.Agent, "bot")
	agent, human := desk.New(store, desk.Options{}), desk.New(c.Open(natstest.Account, nodes.Human, "alice"), desk.Options{})
	all := archive(t, agent, human)
	damaged := (c.Leader() + 1) % len(c.Nodes)
	c.Quit(damaged)
	flipped := 0
	err := filepath.WalkDir(filepath.Join(c.Data(damaged), "jetstream", "SYS", "_js_"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.Contains(path, "/S-R3F") && strings.Contains(path, "/snapshots/") {
			flipped++
			flipAt(t, path, -1)
		}
		return err
	})
	if err != nil || flipped == 0 {
		t.Fatalf("%d snapshots: %v", flipped, err)
	}
	c.Restart(damaged)
	awaitDesk(t, store)
	natstest.Await(t, func() error {
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		defer stop()
		st, err := store.Status(ctx, c.System())
		if err == nil && !slices.ContainsFunc(st.Wrong, func(f nats.StatusError) bool {
			// The server names one fault at a time: the snapshot, or a group that could
			// not start with it.
			return strings.Contains(f.Error(), c.Nodes[damaged].Name+" is not well") &&
				(strings.Contains(f.Error(), "snapshot") || strings.Contains(f.Error(), "group node missing"))
		}) {
			err = fmt.Errorf("the status does not name %s: %v", c.Nodes[damaged].Name, st.Wrong)
		}
		return err
	})
	var report storetest.PowerReport
	report.Check(t, &storetest.Conversation{Asker: agent, Human: human}, all)
	t.Log(report)
}

// flip flips one bit of a text in the one file below a directory that has it.
func flip(t *testing.T, dir, text string) {
	t.Helper()
	found := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if at := bytes.Index(data, []byte(text)); at >= 0 {
			found++
			flipAt(t, path, at)
		}
		return err
	})
	if err != nil || found != 1 {
		t.Fatalf("%d files have %q: %v", found, text, err)
	}
}

// flipAt flips one bit of a byte; of the one in the middle where at is below 0.
func flipAt(t *testing.T, path string, at int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		if at < 0 {
			at = len(data) / 2
		}
		data[at] ^= 1 << 2
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// lead makes a node the leader of a stream.
func lead(t *testing.T, c *natstest.Cluster, stream, node string) {
	t.Helper()
	nc := c.Connect(natstest.Account, nodes.Operator, "", make(chan error, 100))
	defer nc.Close()
	js, err := nc.JetStream()
	if err != nil {
		t.Fatal(err)
	}
	natstest.Await(t, func() error {
		there, err := js.StreamInfo(stream)
		if err == nil && there.Cluster.Leader != node {
			_, _ = nc.Request("$JS.API.STREAM.LEADER.STEPDOWN."+stream, fmt.Appendf(nil, `{"placement":{"preferred":%q}}`, node), 2*time.Second)
			err = fmt.Errorf("%s leads %s", there.Cluster.Leader, stream)
		}
		return err
	})
}
