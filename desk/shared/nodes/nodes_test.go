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
	if at := nodes.Listens(dir); at != "127.0.0.1:5222" {
		t.Errorf("it listens at %q", at)
	}
	users, _ := os.ReadFile(filepath.Join(dir, "users.conf"))
	if !strings.Contains(string(users), "human alice") || !strings.Contains(string(users), "human bob") {
		t.Errorf("the users are\n%s", users)
	}
	err := nodes.Init(dir, nodes.Options{Listen: "127.0.0.1:6222"})
	if err == nil || !strings.Contains(err.Error(), "change it there") {
		t.Errorf("another address: %v", err)
	}
}

// Where a credential cannot be read or made, no file is changed: a node would not start with what it
// has no key for, nor an operator know a former human again.
func TestWrittenInPart(t *testing.T) {
	dir := t.TempDir()
	fatal.If(t, nodes.Init(dir, nodes.Options{Humans: []string{"alice"}}))
	bob := nodes.Creds(dir, nodes.Human, "bob")
	fatal.If(t, os.WriteFile(bob, nil, 0o600))
	for _, file := range []string{"users.conf", "humans.json"} {
		path := filepath.Join(dir, file)
		before, err := os.ReadFile(path)
		fatal.If(t, err)
		err = nodes.Init(dir, nodes.Options{Humans: []string{"carol"}})
		after, _ := os.ReadFile(path)
		if err == nil || !strings.Contains(err.Error(), bob) || string(after) != string(before) {
			t.Errorf("%v, and %s is\n%s", err, file, after)
		}
	}
}

// One whose credential is removed answers no more; their answers stay.
func TestFormerHumans(t *testing.T) {
	dir := t.TempDir()
	write := func(names ...string) (list string) {
		t.Helper()
		err := nodes.Init(dir, nodes.Options{Humans: names})
		fatal.If(t, err)
		data, _ := os.ReadFile(nodes.HumansFile(dir))
		before, former, _ := strings.Cut(string(data), `"former"`)
		return strings.Join([]string{has(before), has(former)}, "; ")
	}
	if is, want := write("alice", "bob"), "alice bob; "; is != want {
		t.Errorf("first %q, want %q", is, want)
	}
	err := os.Remove(nodes.Creds(dir, nodes.Human, "bob"))
	fatal.If(t, err)
	for _, again := range [][]string{nil, {"carol"}} {
		if is, want := write(again...), "alice"; !strings.HasPrefix(is, want) || !strings.HasSuffix(is, "; bob") {
			t.Errorf("then %q", is)
		}
	}
	if is, want := write("bob"), "alice bob carol; bob"; is != want { // with another key
		t.Errorf("at last %q, want %q", is, want)
	}
}

// has are the names that a text has.
func has(text string) string {
	var names []string
	for _, name := range []string{"alice", "bob", "carol"} {
		if strings.Contains(text, `"`+name+`"`) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}
