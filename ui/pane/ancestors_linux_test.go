package pane

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A host that passes nothing on hides its multiplexer from us, but not from
// one who looks (FACTS 1).
func TestAncestors(t *testing.T) {
	const name = "PANE_TEST_ANCESTOR"
	if os.Getenv("PANE_TEST_CHILD") != "" {
		for env := range ancestors {
			if value := env(name); value != "" {
				t.Log("found " + value)
				return
			}
		}
		return
	}
	// The shell stands between: its own name has brackets and blanks in it.
	script := `cp /bin/sh "$1/a) b (c" && exec env ` + name + `='nearest=one' "$1/a) b (c" -c 'env -i PANE_TEST_CHILD=1 "$1" -test.run=^TestAncestors$ -test.v; exit $?' sh "$2"`
	cmd := exec.Command("sh", "-c", script, "sh", t.TempDir(), os.Args[0])
	cmd.Env = append(os.Environ(), name+"=farther")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "found nearest=one") {
		t.Errorf("%v: %s", err, out)
	}
}
