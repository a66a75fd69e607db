//go:build unix

package main

import "syscall"

// openFiles is how many files this process may have open; 0 is any number. Go
// has raised the limit as far as the system allows.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur) //nolint:unconvert // it is signed on some systems
}
