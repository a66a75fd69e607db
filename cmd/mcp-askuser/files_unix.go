//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// faults are the signals that report a fault.
var faults = []os.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGSYS} //nolint:gochecknoglobals // a table, never written to

// dump ends the process as a signal does that is not caught. The runtime has each
// thread print its stack by SIGQUIT: were that caught, it would wait for ten
// seconds.
func dump(s os.Signal) {
	signal.Reset()
	_ = syscall.Kill(os.Getpid(), s.(syscall.Signal))
	select {}
}

// openFiles is how many files this process may have open; 0 is any number. Go
// has raised the limit as far as the system allows.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur) //nolint:unconvert // it is signed on some systems
}
