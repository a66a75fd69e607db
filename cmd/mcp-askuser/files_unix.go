//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

var faults = []os.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGSYS} //nolint:gochecknoglobals // a table, never written to

// dump ends the process as an uncaught signal does. All signals are reset: the runtime
// has each thread print its stack by SIGQUIT, and waits ten seconds if that is caught.
func dump(s os.Signal) {
	signal.Reset()
	_ = syscall.Kill(os.Getpid(), s.(syscall.Signal))
	select {}
}

// openFiles is the limit of open files, which Go has raised as far as it can; 0 is any
// number.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur) //nolint:unconvert // it is signed on some systems
}
