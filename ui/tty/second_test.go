//go:build unix

package tty

import (
	"os"
	"testing"
)

// secondForm is os.Getenv, and another form that begins while the first is made.
func secondForm(name string) string {
	if name == "ACCESSIBLE" {
		second, err := open()
		if err != nil || second.free() == nil {
			panic("the terminal is free for a second form")
		}
	}
	return os.Getenv(name)
}

// Two forms that begin at the same moment are not on the terminal together.
func TestSecondForm(t *testing.T) {
	t.Parallel()
	x := start(t, 80, 24, "single", alone, "TTY_TROUBLE=second")
	x.WaitFor("SQLite")
	x.Type("2\r")
	x.commits(reply(option("database", "sqlite")))
}
