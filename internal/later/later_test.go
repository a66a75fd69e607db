package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestApply(t *testing.T) {
	hunks, err := parse([]byte("--- a/f.go\n+++ b/f.go\n@@ -2,2 +2,3 @@\n two\n-three\n+3\n+3b\n@@ -5 +6 @@\n-five\n+5\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, want string }{
		"as it was":   {"one\ntwo\nthree\nfour\nfive\nsix\n", "one\ntwo\n3\n3b\nfour\n5\nsix\n"},
		"moved":       {"zero\none\ntwo\nthree\nfour\nfive\n", ""},
		"another":     {"one\ntwo\ntree\nfour\nfive\n", ""},
		"ends before": {"one\ntwo\nthree\n", ""},
	} {
		got, err := apply([]byte(c.file), hunks["f.go"])
		if string(got) != c.want || errors.Is(err, errElsewhere) != (c.want == "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, damaged := range []string{"one\n", "--- a/f\n+++ b/f\n@@ what\n", "+++ b/f\n@@ -1 +1 @@\n?\n"} {
		if _, err := parse([]byte(damaged)); err == nil {
			t.Errorf("%q is taken for a patch", damaged)
		}
	}
}

// Invariant: a module that has changed is not built, whether the patch would
// fit or not.
func TestChangedModule(t *testing.T) {
	for _, c := range all() {
		from, err := source(root, c.Module)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.copy(from, t.TempDir()); err != nil {
			t.Errorf("%s: %v", c.Module, err)
		}
		for name := range c.Files {
			other := c
			other.Files = maps.Clone(c.Files)
			other.Files[name] = strings.Repeat("0", 64)
			if err := other.copy(from, t.TempDir()); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %s has changed, and the error is %v", c.Module, name, err)
			}
			delete(other.Files, name)
			if err := other.copy(from, t.TempDir()); err == nil {
				t.Errorf("%s: %s has no checksum", c.Module, name)
			}
		}
	}
}

// root is that of the module, from here.
var root = filepath.Join("..", "..")

// Invariant: schemas of all drafts say the same in either build, and the
// changed module does nothing to speak of before it is asked to.
func TestDrafts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds twice")
	}
	modfile, err := prepare(root)
	if err != nil {
		t.Fatal(err)
	}
	if modfile, err = filepath.Abs(modfile); err != nil {
		t.Fatal(err)
	}
	plain, plainBytes := drafts(t)
	later, laterBytes := drafts(t, "-modfile="+modfile)
	if !bytes.Contains(plain, []byte("is valid")) || !bytes.Contains(plain, []byte("is not valid against metaschema")) {
		t.Fatalf("the schemas are not checked:\n%s", plain)
	}
	if !bytes.Equal(plain, later) {
		t.Errorf("the builds differ:\n%s\nand\n%s", plain, later)
	}
	if plainBytes < 1<<20 {
		t.Errorf("the module itself takes only %d bytes at the start: is the change still needed?", plainBytes)
	}
	if laterBytes > 1<<16 {
		t.Errorf("the changed module takes %d bytes at the start", laterBytes)
	}
}

// drafts builds and runs testdata/drafts, and returns what it says, and what
// the module allocated before main.
func drafts(t *testing.T, flags ...string) (said []byte, allocated int) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "drafts")
	cmd := exec.Command("go", append(append([]string{"build", "-o", program}, flags...), "./testdata/drafts")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd = exec.Command(program)
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	said, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, trace.Bytes())
	}
	for line := range strings.SplitSeq(trace.String(), "\n") {
		if fields := strings.Fields(line); strings.HasPrefix(line, "init github.com/santhosh-tekuri/jsonschema/v6 ") {
			if allocated, err = strconv.Atoi(fields[len(fields)-4]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return said, allocated
}
