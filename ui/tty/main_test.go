//go:build unix

package tty

import (
	"os"
	"testing"
)

// The test binary is also the program that the tests run on a terminal of its
// own: with TTY_SHOW in the environment it shows that record and reports what
// became of it.
func TestMain(m *testing.M) {
	if name := os.Getenv("TTY_SHOW"); name != "" {
		os.Exit(program(name))
	}
	os.Exit(m.Run())
}
