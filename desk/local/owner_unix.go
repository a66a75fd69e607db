//go:build unix

package local

import (
	"os"
	"syscall"
)

func ownedByUser(info os.FileInfo) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(of.Uid) == os.Getuid()
}

func openToOthers(info os.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }
