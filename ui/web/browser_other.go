//go:build !unix

package web

import "os/exec"

// detach does nothing: a program started here outlives us by itself.
func detach(*exec.Cmd) {}
