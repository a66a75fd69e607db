//go:build e2e && unix

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// registryModule has the schema of the MCP registry.
const registryModule = "github.com/modelcontextprotocol/registry@v1.7.9"

// What is published beside the binaries: the npm packages install from their
// packed files and start the program; server.json is what the registry's schema
// says; the bundle's manifest is what its own tool says.
func TestPackages(t *testing.T) {
	out := t.TempDir()
	place := map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}[runtime.GOOS] + "-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	output(t, ".", "../packaging/stage", "1.2.3", out, place+"="+program)

	t.Run("npm", func(t *testing.T) {
		project := t.TempDir()
		output(t, project, "npm", "init", "-y")
		output(t, project, "npm", "install", "--no-audit", "--no-fund", "--offline", filepath.Join(out, "mcp-askuser-"+place+"-1.2.3.tgz"))
		// The programs of other systems cannot be had here, and need not be.
		output(t, project, "npm", "install", "--no-audit", "--no-fund", "--omit=optional", "--offline", filepath.Join(out, "mcp-askuser-1.2.3.tgz"))
		wrapper := filepath.Join(project, "node_modules", ".bin", "mcp-askuser")
		if got := output(t, project, wrapper, "version"); !strings.HasPrefix(got, "mcp-askuser ") {
			t.Errorf("version says %q", got)
		}
		cmd := exec.CommandContext(t.Context(), wrapper, "ask", "{")
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("bad input: %v", err)
		}
	})

	t.Run("server.json", func(t *testing.T) {
		var module struct{ Dir string }
		if err := json.Unmarshal([]byte(output(t, ".", "go", "mod", "download", "-json", registryModule)), &module); err != nil {
			t.Fatal(err)
		}
		schema := jsonschema.NewCompiler()
		if err := schema.AddResource("server.json", document(t, filepath.Join(module.Dir, "docs/reference/server-json/draft/server.schema.json"))); err != nil {
			t.Fatal(err)
		}
		s, err := schema.Compile("server.json")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(document(t, filepath.Join(out, "server.json"))); err != nil {
			t.Error(err)
		}
	})

	t.Run("bundle", func(t *testing.T) {
		if got := output(t, ".", "node_modules/.bin/mcpb", "validate", filepath.Join(out, "manifest.json")); !strings.Contains(got, "passes") {
			t.Error(got)
		}
	})
}

func document(t *testing.T, path string) any {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// output runs a command in a directory and returns what it prints.
func output(t *testing.T, dir string, argv ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", argv, err, out)
	}
	return string(out)
}
