package codex

import (
	"net"

	"golang.org/x/sys/unix"
)

// peer is the process at the other end.
func peer(conn *net.UnixConn) (pid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	if e := raw.Control(func(fd uintptr) { pid, err = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID) }); e != nil {
		return 0, e
	}
	return pid, err
}
