package main

import (
	"errors"
	"io"
	"log"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// served is a disk as a program sees it: what the kernel asks for, one request
// after the other.
type served struct {
	fuse.RawFileSystem // which refuses the rest

	mu   sync.Mutex
	disk *disk
}

// forever is how long the kernel may remember: nobody else changes the disk.
const forever = 1 << 30

// change runs what changes or syncs, unless there is no power for it.
func (s *served) change(do func(d *disk) fuse.Status) fuse.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.disk.step() {
		return fuse.EIO
	}
	return do(s.disk)
}

// look runs what changes nothing.
func (s *served) look(id uint64, do func(n *inode) fuse.Status) fuse.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.disk.inodes[id]
	if s.disk.cut || n == nil {
		return fuse.EIO
	}
	return do(n)
}

func describe(n *inode, out *fuse.Attr) {
	size := len(n.data)
	if n.target != "" {
		size = len(n.target)
	}
	modified := uint64(n.modified.Unix())
	*out = fuse.Attr{
		Ino: n.id, Size: uint64(size), Blocks: uint64((size + sector - 1) / sector), Blksize: 4096,
		Mode: n.mode, Nlink: uint32(max(n.links, 0)), Owner: fuse.Owner{Uid: n.uid, Gid: n.gid},
		Atime: modified, Mtime: modified, Ctime: modified,
		Atimensec: uint32(n.modified.Nanosecond()), Mtimensec: uint32(n.modified.Nanosecond()), Ctimensec: uint32(n.modified.Nanosecond()),
	}
}

func enter(n *inode, out *fuse.EntryOut) fuse.Status {
	out.NodeId, out.EntryValid, out.AttrValid = n.id, forever, forever
	describe(n, &out.Attr)
	return fuse.OK
}

func (s *served) Lookup(_ <-chan struct{}, in *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	return s.look(in.NodeId, func(dir *inode) fuse.Status {
		n := s.disk.inodes[dir.names[name]]
		if n == nil {
			return fuse.ENOENT
		}
		return enter(n, out)
	})
}

func (s *served) GetAttr(_ <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	return s.look(in.NodeId, func(n *inode) fuse.Status {
		describe(n, &out.Attr)
		out.AttrValid = forever
		return fuse.OK
	})
}

func (s *served) SetAttr(_ <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	return s.change(func(d *disk) fuse.Status {
		n := d.inodes[in.NodeId]
		if mode, ok := in.GetMode(); ok {
			n.mode = n.mode&syscall.S_IFMT | mode&^syscall.S_IFMT
		}
		if uid, ok := in.GetUID(); ok {
			n.uid = uid
		}
		if gid, ok := in.GetGID(); ok {
			n.gid = gid
		}
		if size, ok := in.GetSize(); ok {
			n.truncate(int64(size))
		}
		if modified, ok := in.GetMTime(); ok {
			n.modified = modified
		}
		describe(n, &out.Attr)
		out.AttrValid = forever
		return fuse.OK
	})
}

// create makes an inode with a name.
func (s *served) create(in *fuse.InHeader, name string, mode uint32, target string, out *fuse.EntryOut) fuse.Status {
	return s.change(func(d *disk) fuse.Status {
		if d.inodes[in.NodeId].names[name] != 0 {
			return fuse.Status(syscall.EEXIST)
		}
		n := d.make(mode, in.Uid, in.Gid)
		n.target = target
		d.put(change{[]place{{in.NodeId, name}}, []uint64{n.id}})
		return enter(n, out)
	})
}

func (s *served) Mknod(_ <-chan struct{}, in *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	return s.create(&in.InHeader, name, in.Mode, "", out)
}

func (s *served) Mkdir(_ <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	return s.create(&in.InHeader, name, in.Mode|syscall.S_IFDIR, "", out)
}

func (s *served) Symlink(_ <-chan struct{}, in *fuse.InHeader, target, name string, out *fuse.EntryOut) fuse.Status {
	return s.create(in, name, syscall.S_IFLNK|0o777, target, out)
}

func (s *served) Create(_ <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	return s.create(&in.InHeader, name, in.Mode|syscall.S_IFREG, "", &out.EntryOut)
}

func (s *served) Link(_ <-chan struct{}, in *fuse.LinkIn, name string, out *fuse.EntryOut) fuse.Status {
	return s.change(func(d *disk) fuse.Status {
		if d.inodes[in.NodeId].names[name] != 0 {
			return fuse.Status(syscall.EEXIST)
		}
		d.put(change{[]place{{in.NodeId, name}}, []uint64{in.Oldnodeid}})
		return enter(d.inodes[in.Oldnodeid], out)
	})
}

// remove takes a name away.
func (s *served) remove(in *fuse.InHeader, name string, isDir bool) fuse.Status {
	return s.change(func(d *disk) fuse.Status {
		n := d.inodes[d.inodes[in.NodeId].names[name]]
		switch {
		case n == nil:
			return fuse.ENOENT
		case n.isDir() && !isDir:
			return fuse.Status(syscall.EISDIR)
		case !n.isDir() && isDir:
			return fuse.ENOTDIR
		case len(n.names) > 0:
			return fuse.Status(syscall.ENOTEMPTY)
		}
		d.put(change{[]place{{in.NodeId, name}}, []uint64{0}})
		return fuse.OK
	})
}

func (s *served) Unlink(_ <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return s.remove(in, name, false)
}

func (s *served) Rmdir(_ <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return s.remove(in, name, true)
}

func (s *served) Rename(_ <-chan struct{}, in *fuse.RenameIn, from, to string) fuse.Status {
	return s.change(func(d *disk) fuse.Status {
		n := d.inodes[d.inodes[in.NodeId].names[from]]
		there := d.inodes[d.inodes[in.Newdir].names[to]]
		switch {
		case in.Flags != 0:
			return fuse.EINVAL
		case n == nil:
			return fuse.ENOENT
		case there == n:
			return fuse.OK
		case there != nil && len(there.names) > 0:
			return fuse.Status(syscall.ENOTEMPTY)
		}
		d.put(change{[]place{{in.NodeId, from}, {in.Newdir, to}}, []uint64{0, n.id}})
		return fuse.OK
	})
}

func (s *served) Readlink(_ <-chan struct{}, in *fuse.InHeader) (target []byte, status fuse.Status) {
	status = s.look(in.NodeId, func(n *inode) fuse.Status {
		target = []byte(n.target)
		return fuse.OK
	})
	return target, status
}

func (s *served) Open(_ <-chan struct{}, in *fuse.OpenIn, _ *fuse.OpenOut) fuse.Status {
	return s.look(in.NodeId, func(*inode) fuse.Status { return fuse.OK })
}

func (s *served) Read(_ <-chan struct{}, in *fuse.ReadIn, buf []byte) (fuse.ReadResult, fuse.Status) {
	count := 0
	status := s.look(in.NodeId, func(n *inode) fuse.Status {
		if in.Offset < uint64(len(n.data)) {
			count = copy(buf, n.data[in.Offset:])
		}
		return fuse.OK
	})
	return fuse.ReadResultData(buf[:count]), status
}

func (s *served) Write(_ <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	status := s.change(func(d *disk) fuse.Status {
		n := d.inodes[in.NodeId]
		offset := int64(in.Offset)
		if in.Flags&syscall.O_APPEND != 0 {
			offset = int64(len(n.data))
		}
		n.write(data, offset)
		return fuse.OK
	})
	return uint32(len(data)), status
}

func (s *served) Fallocate(_ <-chan struct{}, in *fuse.FallocateIn) fuse.Status {
	return fuse.Status(syscall.EOPNOTSUPP)
}

func (s *served) Fsync(_ <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	return s.change(func(d *disk) fuse.Status {
		d.sync(d.inodes[in.NodeId])
		return fuse.OK
	})
}

func (s *served) FsyncDir(_ <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	return s.change(func(d *disk) fuse.Status {
		d.sync(d.inodes[in.NodeId])
		return fuse.OK
	})
}

func (s *served) Flush(<-chan struct{}, *fuse.FlushIn) fuse.Status { return fuse.OK }

func (s *served) OpenDir(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	return s.look(in.NodeId, func(dir *inode) fuse.Status {
		names := []string{} // never nil: that is a listing which was released
		for name := range dir.names {
			names = append(names, name)
		}
		slices.Sort(names)
		dir.snapshots = append(dir.snapshots, names)
		out.Fh = uint64(len(dir.snapshots) - 1)
		return fuse.OK
	})
}

func (s *served) ReadDir(_ <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	return s.look(in.NodeId, func(dir *inode) fuse.Status {
		if in.Fh >= uint64(len(dir.snapshots)) {
			return fuse.EIO
		}
		names := dir.snapshots[in.Fh]
		for i := in.Offset; i < uint64(len(names)); i++ {
			e := fuse.DirEntry{Name: names[i], Off: i + 1, Mode: syscall.S_IFREG}
			if n := s.disk.inodes[dir.names[names[i]]]; n != nil { // else it was removed meanwhile
				e.Ino, e.Mode = n.id, n.mode
			}
			if !out.AddDirEntry(e) {
				break
			}
		}
		return fuse.OK
	})
}

// ReleaseDir frees a listing.
func (s *served) ReleaseDir(in *fuse.ReleaseIn) {
	_ = s.look(in.NodeId, func(dir *inode) fuse.Status {
		if in.Fh < uint64(len(dir.snapshots)) {
			dir.snapshots[in.Fh] = nil
		}
		for len(dir.snapshots) > 0 && dir.snapshots[len(dir.snapshots)-1] == nil {
			dir.snapshots = dir.snapshots[:len(dir.snapshots)-1]
		}
		return fuse.OK
	})
}

func (s *served) StatFs(_ <-chan struct{}, _ *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	const blocks = 16 << 20
	*out = fuse.StatfsOut{Blocks: blocks, Bfree: blocks, Bavail: blocks, Files: blocks, Ffree: blocks, Bsize: 4096, Frsize: 4096, NameLen: 255}
	return fuse.OK
}

func (s *served) Access(<-chan struct{}, *fuse.AccessIn) fuse.Status { return fuse.OK }

// mount has the kernel serve the disk in dir.
func (s *served) mount(dir string) (*fuse.Server, error) {
	server, err := fuse.NewServer(s, dir, &fuse.MountOptions{
		FsName: "powerfs", Name: "powerfs", DirectMount: true, DisableXAttrs: true, DisableReadDirPlus: true,
		IgnoreSecurityLabels: true, MaxWrite: 1 << 20, Logger: log.New(io.Discard, "", 0),
	})
	if err != nil {
		return nil, err
	}
	go server.Serve()
	return server, server.WaitMount()
}

// unmount takes it away, at once, whatever is still open.
func unmount(server *fuse.Server, dir string) error {
	err := syscall.Unmount(dir, syscall.MNT_DETACH)
	if errors.Is(err, syscall.EPERM) {
		return server.Unmount()
	}
	done := make(chan struct{})
	go func() { defer close(done); server.Wait() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		return errors.New("something still uses the file system")
	}
	return err
}
