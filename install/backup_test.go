package install

import (
	"os"
	"testing"

	"mcp-askuser/internal/fatal"
)

// A server of another program that has our name comes back when ours is taken out. An earlier
// entry of ours does not.
func TestEntryOfTheSameName(t *testing.T) {
	for before, back := range map[string]bool{
		`{"mcpServers": {"askuser": {"command": "npx", "args": ["ask"]}}}`:                                   true,
		`{"mcpServers": {"askuser": {"command": "/old/mcp-askuser"}}}`:                                       false,
		`{"mcpServers": {"askuser": {"headers": {"Authorization": "Bearer ${env:MCP_ASKUSER_TOKEN}"}}}}`:     false,
		`{"mcpServers": {"askuser": {"headers": {"Authorization": "Bearer askuser_65AFYCBJVBT2CJOSCCWZ"}}}}`: false,
	} {
		c, p, path := cursor(t, before)
		for _, out := range []bool{false, true} {
			for _, change := range plan(t, c, p, local, out) {
				err := change.Apply()
				fatal.If(t, err)
			}
		}
		got, _ := os.ReadFile(path)
		if (string(got) == before) != back {
			t.Errorf("%s became %q", before, got)
		}
	}
}
