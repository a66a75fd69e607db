//go:build !unix

package term

import "os"

// notifyContinued does nothing: the system stops no process.
func notifyContinued(chan os.Signal) {}
