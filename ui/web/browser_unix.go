//go:build unix

package web

import (
	"os/exec"
	"syscall"
)

// detach gives a program a session of its own: a closed terminal or an agent
// that ends must not take the user's browser with it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
