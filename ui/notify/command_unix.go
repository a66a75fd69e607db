//go:build unix

package notify

import (
	"os/exec"
	"syscall"
)

// setOwnGroup starts cmd in a process group of its own: Ctrl+C at our terminal does
// not reach it, and its limit ends its children too.
func setOwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
