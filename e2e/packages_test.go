//go:build e2e && unix

package e2e

import (
	"os/exec"
	"strings"
	"testing"
)

// The bundle's manifest is what its own tool expects.
func TestBundle(t *testing.T) {
	validate := exec.CommandContext(t.Context(), "npm/clients/node_modules/.bin/mcpb", "validate", "../packaging/mcpb/manifest.json")
	out, err := validate.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "passes") {
		t.Errorf("%v: %s", err, out)
	}
}
