//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package tty

import (
	"os"
	"time"

	"mcp-askuser/ui"
)

// terminal is never open here: the system has no controlling terminal as in POSIX.
type terminal struct{ *os.File }

func open() (*terminal, error) {
	return nil, ui.Unavailablef("forms on the terminal are not supported on this system")
}

func (t *terminal) free() error                      { return nil }
func (t *terminal) foreground() bool                 { return false }
func (t *terminal) deliverLines(bool) error          { return nil }
func (t *terminal) restore()                         {}
func (t *terminal) abandon()                         {}
func (t *terminal) flush()                           {}
func (t *terminal) size() (int, int)                 { return 0, 0 }
func (t *terminal) hurry(time.Duration)              {}
func (t *terminal) printLine(string)                 {}
func (t *terminal) handleStops(func()) (undo func()) { return func() {} }
func ignoreStops() (undo func())                     { return func() {} }

// maxLine is as in POSIX.
const maxLine = 255
