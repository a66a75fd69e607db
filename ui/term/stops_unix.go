//go:build unix

package term

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyContinued sends a signal whenever the process continues after it was stopped.
func notifyContinued(c chan os.Signal) { signal.Notify(c, syscall.SIGCONT) }
