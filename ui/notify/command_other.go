//go:build !unix

package notify

import "os/exec"

func setOwnGroup(*exec.Cmd) {}
