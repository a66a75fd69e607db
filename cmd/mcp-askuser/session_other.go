//go:build !linux

package main

// lookUp tells nothing: other systems show a process's arguments only by calls
// that differ from each to each.
func lookUp(int) (process, bool) { return process{}, false }
