//go:build unix

package shared_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk/shared"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store"
	"mcp-askuser/desk/store/storetest"
	"mcp-askuser/internal/fatal"
)

// Who reads what has changed, again and again, misses no row, however many change meanwhile. Who is
// far away, and has not read for long, does not read one after the other.
func readsAllChanges(t *testing.T, c *sharedtest.Cluster) {
	bot, alice := c.Open(nodes.Agent, "bot"), c.Open(nodes.Human, "alice")
	busy := storetest.Ask(t, bot, "Busy?")
	first := busy.Revision
	flood, end := context.WithCancel(t.Context())
	go func() {
		defer end()
		for i := range 150 {
			storetest.Ask(t, bot, fmt.Sprint(i))
		}
	}()
	go func() {
		for n := 0; flood.Err() == nil; n++ {
			_ = alice.Note(flood, busy.ID, store.Draft, func([]byte) ([]byte, error) { return fmt.Append(nil, n), nil })
		}
	}()
	seen := map[string]bool{}
	for last, more := first, true; more; {
		more = flood.Err() == nil
		for row, err := range alice.Rows(t.Context(), store.Query{After: last}) {
			fatal.If(t, err)
			seen[row.ID], last = true, last.Max(row.Revision)
		}
	}
	missed := slices.DeleteFunc(idsOf(t, alice, store.Query{}), func(id string) bool { return seen[id] })
	if len(missed) > 0 {
		t.Errorf("%d rows are missed", len(missed))
	}

	far, err := shared.Open(shared.Options{URL: farFrom(t, c.URL()), Creds: nodes.Creds(c.Dir, nodes.Human, "alice")})
	fatal.If(t, err)
	defer func() { _ = far.Close() }()
	inTime, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	rows, err := store.Collect(far.Rows(inTime, store.Query{After: first}))
	if err != nil || len(rows) < len(seen) {
		t.Errorf("from far away %d of %d rows, %v", len(rows), len(seen), err)
	}
}

// farFrom returns an address of a node to which all takes 30 ms.
func farFrom(t *testing.T, url string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	fatal.If(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		client, err := listener.Accept()
		node, failed := net.Dial("tcp", strings.TrimPrefix(url, "nats://"))
		if err != nil || failed != nil {
			return
		}
		go forwardLate(node, client)
		forwardLate(client, node)
	}()
	return listener.Addr().String()
}

func forwardLate(from, to net.Conn) {
	defer func() { _ = to.Close() }()
	data := make([]byte, 1<<20)
	for {
		n, err := from.Read(data)
		if err != nil {
			return
		}
		<-time.After(30 * time.Millisecond)
		_, _ = to.Write(data[:n])
	}
}
