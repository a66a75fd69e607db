//go:build unix

package shared_test

import (
	"bytes"
	"log/slog"
	"testing"

	"mcp-askuser/desk/shared"
	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/desk/shared/sharedtest"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
)

// What an agent stores that is no question costs users no line in each of their commands.
func TestNonsenseIsLeftOutQuietly(t *testing.T) {
	t.Parallel()
	c := sharedtest.Start(t, 1)
	bot := c.Connect(nodes.Agent, "bot", make(chan error, 10))
	_, err := bot.Request("_R_.ask.r.bot.01M8J2ED0AEWJAGYFGCNJ0AEXN.q.-.-.-.-", []byte("nonsense"), sharedtest.Patience)
	fatal.If(t, err)
	var log bytes.Buffer
	s, err := shared.Open(shared.Options{URL: c.URL(), Creds: nodes.Creds(c.Dir, nodes.Human, "alice"),
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	fatal.If(t, err)
	t.Cleanup(func() { _ = s.Close() })
	rows, err := store.Collect(s.Rows(t.Context(), store.Query{}))
	if err != nil || len(rows) > 0 || log.Len() > 0 {
		t.Errorf("%d rows, %v, %s", len(rows), err, &log)
	}
}
