package nodes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-askuser/desk/shared/nodes"
	"mcp-askuser/internal/fatal"
)

// A directory that is written again has more names. What its node was set up with since, its
// address among it, stays.
func TestWrittenAgain(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "nats.conf")
	fatal.If(t, nodes.Init(dir, nodes.Options{Listen: "0.0.0.0:5222", Humans: []string{"alice"}}))
	before, _ := os.ReadFile(file)
	own := string(before) + "tls { cert_file: server.pem, key_file: server.key }\n"
	fatal.If(t, os.WriteFile(file, []byte(own), 0o600))
	fatal.If(t, nodes.Init(dir, nodes.Options{Humans: []string{"bob"}}))
	after, _ := os.ReadFile(file)
	if string(after) != own {
		t.Errorf("the node's configuration is\n%s", after)
	}
	if at := nodes.Listens(dir); at != "0.0.0.0:5222" {
		t.Errorf("it listens at %q", at)
	}
	users, _ := os.ReadFile(filepath.Join(dir, "users.conf"))
	if !strings.Contains(string(users), "human alice") || !strings.Contains(string(users), "human bob") {
		t.Errorf("the users are\n%s", users)
	}
	err := nodes.Init(dir, nodes.Options{Listen: "127.0.0.1:6222"})
	if at := nodes.Listens(dir); err != nil || at != "127.0.0.1:6222" {
		t.Errorf("it listens at %q, %v", at, err)
	}
}
