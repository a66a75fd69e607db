package shared_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"mcp-askuser/desk/shared"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
)

// A call that has only so much time says why an attempt within it has failed, even where the last
// one was not over.
func TestLateNamesTheCause(t *testing.T) {
	node, err := net.Listen("tcp", "127.0.0.1:0")
	fatal.If(t, err)
	defer func() { _ = node.Close() }()
	ctx, end := context.WithCancelCause(t.Context())
	late := fmt.Errorf("%w in time", store.ErrUnreachable)
	go func() { // it closes the first connection, and is silent on the second
		for first := true; ; first = false {
			c, err := node.Accept()
			if err != nil {
				return
			}
			if !first {
				end(late)
			}
			if first {
				_ = c.Close()
			}
		}
	}()
	s, err := shared.Open(shared.Options{URL: node.Addr().String()})
	fatal.If(t, err)
	defer func() { _ = s.Close() }()
	_, err = s.Get(ctx, "x")
	if !errors.Is(err, late) || !strings.Contains(err.Error(), node.Addr().String()) {
		t.Errorf("%v", err)
	}
}
