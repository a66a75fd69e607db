package mirror_test

import (
	"testing"

	"mcp-askuser/internal/waittest"
	"mcp-askuser/mirror"
)

// A busy machine takes longer to store a question than a host waits.
func TestMain(m *testing.M) {
	mirror.StoreTimeout = waittest.Patience
	m.Run()
}
