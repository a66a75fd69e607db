//go:build unix

package notify

import (
	"os/exec"
	"syscall"
)

// alone makes cmd the head of a process group: a Ctrl+C at our terminal is not
// meant for it, and its limit ends its children too.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
