// Package golden compares what a test got with a file in testdata, which the
// flag -update writes anew. It imports nothing of ours and is imported by tests
// only.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

//nolint:gochecknoglobals // a flag of the test binary
var update = flag.Bool("update", false, "write the golden files anew")

// Check compares got with a file below testdata, named with slashes.
func Check(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", path, got, want)
	}
}
