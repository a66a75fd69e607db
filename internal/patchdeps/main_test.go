package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestEditOfChangedFile checks that an update of the module which changes a line
// ends the build: a build with a part of the changes would be another program.
func TestEditOfChangedFile(t *testing.T) {
	for name, text := range map[string]string{"gone": "one\n", "twice": "two\ntwo\n"} {
		path := filepath.Join(t.TempDir(), "f.go")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := edit(path, "two", "2"); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the error is %v", name, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s: the file has become %q, %v", name, got, err)
		}
	}
}

// TestDrafts checks that schemas of all drafts give the same verdicts in both
// builds, and that only the unchanged module works before main.
func TestDrafts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds twice")
	}
	t.Chdir(filepath.Join("..", ".."))
	dir := t.TempDir()
	if err := prepare(dir); err != nil {
		t.Fatal(err)
	}
	plain, plainBytes := runDrafts(t)
	release, releaseBytes := runDrafts(t, "-modfile="+filepath.Join(dir, "release.mod"))
	if !bytes.Contains(plain, []byte("is valid")) || !bytes.Contains(plain, []byte("is not valid against metaschema")) {
		t.Fatalf("the schemas are not checked:\n%s", plain)
	}
	if !bytes.Equal(plain, release) {
		t.Errorf("the builds differ:\n%s\nand\n%s", plain, release)
	}
	if plainBytes < 1<<20 {
		t.Errorf("the published module allocates only %d bytes before main: is the change still needed?", plainBytes)
	}
	if releaseBytes > 1<<16 {
		t.Errorf("the changed module allocates %d bytes before main", releaseBytes)
	}
}

// runDrafts builds and runs testdata/drafts, and returns its output and the
// number of bytes that the module allocated before main.
func runDrafts(t *testing.T, flags ...string) (output []byte, allocated int) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "drafts")
	cmd := exec.Command("go", append(append([]string{"build", "-o", program}, flags...), "./internal/patchdeps/testdata/drafts")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd = exec.Command(program)
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	output, err := cmd.Output()
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
	return output, allocated
}
