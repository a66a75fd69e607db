package both

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
)

// Where the shared desk says why it does not answer in time, callers learn it.
func TestLateNamesTheCause(t *testing.T) {
	far := newShared(t.TempDir() + "/far")
	far.Before(func(ctx context.Context, _ desktest.Call) error {
		<-ctx.Done()
		return fmt.Errorf("%w: the certificate is not trusted", store.ErrUnreachable)
	})
	s := Join(desktest.Store(t, t.TempDir()+"/near"), far, slog.New(slog.DiscardHandler))
	s.patience = time.Millisecond
	_, err := store.Collect(s.Rows(t.Context(), store.Query{}))
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
}
