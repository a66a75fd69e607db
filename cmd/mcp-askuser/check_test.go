//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// On a machine without even make, check names every package before it installs
// the first, and then runs make test. The packages themselves are not real here:
// apt-get writes down what it is told, and make appears.
func TestCheckNamesWhatItInstalls(t *testing.T) {
	bin := t.TempDir()
	write := func(name, script string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("go", "")
	write("id", "echo 0")
	write("apt-get", `echo "apt-get $*"
case $1 in install) printf '#!/bin/sh\necho "make $*"\n' >"$(dirname "$0")/make"; chmod +x "$(dirname "$0")/make" ;; esac`)
	for _, name := range []string{"sh", "dirname", "chmod"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		cmd := exec.Command(filepath.Join("..", "..", "check"), args...)
		cmd.Env = []string{"PATH=" + bin}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}

	out := run()
	named, after, installs := strings.Cut(out, "apt-get update")
	if !installs || !strings.HasSuffix(out, "make test\n") {
		t.Fatalf("it said:\n%s", out)
	}
	for _, name := range []string{"make", "gcc", "libc6-dev", "tmux", "git", "chromium", "npm"} {
		if !strings.Contains(named, " "+name) || !strings.Contains(after, " "+name) {
			t.Errorf("%s is not named first and installed then:\n%s", name, out)
		}
	}

	if out := run("make"); out != "" {
		t.Errorf("make is there by now, and it said:\n%s", out)
	}
}
