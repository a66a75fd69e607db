package local

import (
	"os"

	"github.com/ncruces/go-sqlite3/vfs"
)

// private is SQLite's access to files, which makes them for this user alone: by default all
// but the database are made as the process's mask has it.
type private struct{ vfs.VFSFilename }

const privateVFS = "private"

// OpenFilename implements [vfs.VFSFilename].
func (p private) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	switch {
	case name == nil: // a temporary file, which is private
	case flags&vfs.OPEN_MAIN_DB != 0:
		touch(name.Database() + "-shm") // is opened later, and with no call that could be changed
	case flags&vfs.OPEN_CREATE != 0:
		touch(name.String())
	}
	return p.VFSFilename.OpenFilename(name, flags)
}

// touch makes an empty file for this user alone where there is none. Where that fails, what
// opens it does.
func touch(path string) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		_ = f.Close()
	}
}
