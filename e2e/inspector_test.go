//go:build e2e && unix

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/internal/fatal"
)

// The Inspector's strict mode refuses schemas that some client cannot read.
func TestListsTheTools(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "mcp-askuser")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../cmd/mcp-askuser").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var list struct{ Tools []struct{ Name string } }
	printed := run(t, "mcp-inspector", "--cli", program, "--method", "tools/list", "--strict")
	fatal.If(t, json.Unmarshal(printed, &list))
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if want := []string{"ask_user_question", "await_answer", "confirm_action"}; !slices.Equal(names, want) {
		t.Errorf("the tools are %q, want %q", names, want)
	}
}

// The bundle's manifest is what its own tool expects.
func TestBundle(t *testing.T) {
	t.Parallel()
	out := run(t, "mcpb", "validate", "../packaging/mcpb/manifest.json")
	if !strings.Contains(string(out), "passes") {
		t.Errorf("%s", out)
	}
}

// run runs a program of the packages in npm/clients, which must succeed, and returns what it printed. The
// program has a home of its own, and a session of its own: the server must not have the terminal of the tests.
func run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	bin, err := filepath.Abs("npm/clients/node_modules/.bin")
	fatal.If(t, err)
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, name), args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v (run make e2e, which installs it)\n%s%s", name, args, err, out, &stderr)
	}
	return out
}
