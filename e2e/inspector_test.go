//go:build e2e && unix

package e2e

import (
	"encoding/json"
	"slices"
	"testing"

	"mcp-askuser/internal/fatal"
)

// The Inspector's strict mode refuses schemas that some client cannot read.
func TestListsTheTools(t *testing.T) {
	t.Parallel()
	c := inspector(t)
	args := slices.Concat([]string{"--cli"}, c.serverEnv(), []string{program, "--method", "tools/list", "--strict"})
	var list struct{ Tools []struct{ Name string } }
	fatal.If(t, json.Unmarshal(c.output("mcp-inspector", args...), &list))
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if want := []string{"ask_user_question", "await_answer", "confirm_action"}; !slices.Equal(names, want) {
		t.Errorf("the tools are %q, want %q", names, want)
	}
}
