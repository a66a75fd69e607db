package codex

import "golang.org/x/sys/unix"

func peerOf(socket int) (pid int, err error) {
	return unix.GetsockoptInt(socket, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
}
