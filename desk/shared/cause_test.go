package shared_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk/shared"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
)

// A call that has only so much time says why the attempts within it have failed.
func TestLateNamesTheCause(t *testing.T) {
	node, err := net.Listen("tcp", "127.0.0.1:0")
	fatal.If(t, err)
	address := node.Addr().String()
	fatal.If(t, node.Close())
	s, err := shared.Open(shared.Options{URL: address})
	fatal.If(t, err)
	defer func() { _ = s.Close() }()
	late := fmt.Errorf("%w in time", store.ErrUnreachable)
	ctx, end := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, late)
	defer end()
	_, err = s.Get(ctx, "x")
	if !errors.Is(err, late) || !strings.Contains(err.Error(), address) {
		t.Errorf("%v", err)
	}
}
