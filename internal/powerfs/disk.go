package main

import (
	"maps"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"
)

// sector is what a disk writes whole, in bytes.
const sector = 512

// disk is a file system in memory that knows what of it has reached the disk. What
// a program sees is volatile; what survives a cut of the power is
//
//   - of a file's content what was written before an fsync of that file;
//   - of a directory the names that were made, moved or removed before an fsync of
//     that directory, or of the other one of a move;
//   - of the rest whatever [disk.restore] lets the disk have written by itself.
//
// A name that survives leads to its file, whatever has become of the content. One
// change of names is atomic. This is as little as POSIX promises. A disk with a journal
// keeps more, as ext4 and xfs do: names change in order, and any fsync has all changes
// before it reach the disk.
type disk struct {
	journal bool
	inodes  map[uint64]*inode
	next    uint64
	pending []change // of names, in order, that have not reached the disk
	cut     bool     // nothing works any more
	left    int      // changes and syncs until the power is cut; none where it is 0
	onCut   func()
}

const root = 1

// inode is a file, directory, link or pipe.
type inode struct {
	id       uint64
	mode     uint32 // with its type
	uid, gid uint32
	links    int
	modified time.Time
	target   string // of a symbolic link

	data    []byte // of a file
	written []byte // what of data has reached the disk
	writes  []write

	names     map[string]uint64 // in a directory
	lasting   map[string]uint64 // those that have reached the disk
	snapshots [][]string        // of the names, for those who list
}

// write is one change of a file's content that has not reached the disk.
type write struct {
	offset int64
	data   []byte
	size   int64 // of a truncation, with no data
	cuts   bool
}

// place is a name in a directory.
type place struct {
	dir  uint64
	name string
}

// change is one atomic change of names: to which inodes they lead, 0 is none.
type change struct {
	places []place
	leads  []uint64
}

func newDisk() *disk {
	d := &disk{inodes: map[uint64]*inode{}, next: root}
	d.make(syscall.S_IFDIR|0o755, 0, 0)
	return d
}

// make makes an inode without a name.
func (d *disk) make(mode, uid, gid uint32) *inode {
	n := &inode{id: d.next, mode: mode, uid: uid, gid: gid, modified: time.Now()}
	if n.isDir() {
		n.names, n.lasting = map[string]uint64{}, map[string]uint64{}
	}
	d.inodes[n.id] = n
	d.next++
	return n
}

func (n *inode) isDir() bool { return n.mode&syscall.S_IFMT == syscall.S_IFDIR }

// step is called before each change and each sync, and reports whether there is
// still power for it.
func (d *disk) step() bool {
	if d.left > 0 {
		if d.left--; d.left == 0 {
			d.fail()
		}
	}
	return !d.cut
}

// fail cuts the power.
func (d *disk) fail() {
	if !d.cut {
		d.cut = true
		d.onCut()
	}
}

// put has names lead to other inodes, all at once.
func (d *disk) put(c change) {
	for i, at := range c.places {
		dir := d.inodes[at.dir]
		if old := d.inodes[dir.names[at.name]]; old != nil {
			old.links--
		}
		delete(dir.names, at.name)
		if n := d.inodes[c.leads[i]]; n != nil {
			dir.names[at.name] = n.id
			n.links++
		}
		dir.modified = time.Now()
	}
	d.pending = append(d.pending, c)
}

// write changes the content of a file.
func (n *inode) write(data []byte, offset int64) {
	w := write{offset: offset, data: slices.Clone(data)}
	n.data = w.on(n.data)
	n.writes = append(n.writes, w)
	n.modified = time.Now()
}

func (n *inode) truncate(size int64) {
	w := write{size: size, cuts: true}
	n.data = w.on(n.data)
	n.writes = append(n.writes, w)
	n.modified = time.Now()
}

// on returns the content after the write.
func (w *write) on(content []byte) []byte {
	end := w.offset + int64(len(w.data))
	if w.cuts {
		end = w.size
		content = content[:min(len(content), int(end))]
	}
	if grow := int(end) - len(content); grow > 0 {
		content = append(content, make([]byte, grow)...)
	}
	copy(content[min(int(w.offset), len(content)):], w.data)
	return content
}

// sync has a file or directory reach the disk.
func (d *disk) sync(n *inode) {
	if d.journal {
		d.reach(func(int, change) bool { return true })
	}
	if n.isDir() {
		d.syncDir(n.id)
	}
	n.syncFile()
}

// syncFile has the content of a file reach the disk.
func (n *inode) syncFile() {
	for _, w := range n.writes {
		n.written = w.on(n.written)
	}
	n.writes = nil
}

// syncDir has the names in a directory reach the disk.
func (d *disk) syncDir(dir uint64) {
	d.reach(func(_ int, c change) bool {
		return slices.ContainsFunc(c.places, func(at place) bool { return at.dir == dir })
	})
}

// reach has those changes of names reach the disk that are wanted, and with them
// those before them that concern the same names.
func (d *disk) reach(wanted func(i int, c change) bool) {
	needed := map[place]bool{}
	chosen := make([]bool, len(d.pending))
	for i, c := range slices.Backward(d.pending) {
		chosen[i] = wanted(i, c) || slices.ContainsFunc(c.places, func(at place) bool { return needed[at] })
		if chosen[i] {
			for _, at := range c.places {
				needed[at] = true
			}
		}
	}
	var rest []change
	for i, c := range d.pending {
		if !chosen[i] {
			rest = append(rest, c)
			continue
		}
		for j, at := range c.places {
			lasting := d.inodes[at.dir].lasting
			delete(lasting, at.name)
			if c.leads[j] != 0 {
				lasting[at.name] = c.leads[j]
			}
		}
	}
	d.pending = rest
}

// restore gives the power back: the disk has what reached it. What was not synced
// has reached it not at all, up to a moment, or in part and in no order, sectors of
// one write too, as the random numbers say.
func (d *disk) restore(random *rand.Rand) {
	some := func(int, change) bool { return random.IntN(2) == 0 }
	if until := random.IntN(len(d.pending) + 1); d.journal || random.IntN(2) == 0 {
		some = func(i int, _ change) bool { return i < until }
	}
	switch random.IntN(3) {
	case 0:
	case 1:
		d.reach(some)
		for _, n := range d.ordered() {
			for _, w := range n.writes[:random.IntN(len(n.writes)+1)] {
				n.written = w.on(n.written)
			}
		}
	case 2:
		d.reach(some)
		for _, n := range d.ordered() {
			for _, w := range n.writes {
				for part := range w.sectors {
					if random.IntN(2) == 0 {
						n.written = part.on(n.written)
					}
				}
			}
		}
	}
	d.pending, d.cut, d.left = nil, false, 0
	d.collect()
}

// sectors yields what a disk may write of it by itself.
func (w *write) sectors(yield func(write) bool) {
	if w.cuts {
		yield(*w)
		return
	}
	for at := 0; at < len(w.data); {
		length := min(sector-int((w.offset+int64(at))%sector), len(w.data)-at)
		if !yield(write{offset: w.offset + int64(at), data: w.data[at : at+length]}) {
			return
		}
		at += length
	}
}

// ordered returns the inodes in the order in which they were made: a random choice
// is the same each time.
func (d *disk) ordered() []*inode {
	var all []*inode
	for _, id := range slices.Sorted(maps.Keys(d.inodes)) {
		all = append(all, d.inodes[id])
	}
	return all
}

// collect makes what reached the disk what programs see, and drops the rest.
func (d *disk) collect() {
	found := map[uint64]*inode{}
	var visit func(id uint64)
	visit = func(id uint64) {
		n := d.inodes[id]
		if found[id] != nil {
			n.links++
			return
		}
		found[id] = n
		n.links, n.writes, n.snapshots = 1, nil, nil
		n.data = slices.Clone(n.written)
		if n.isDir() {
			n.names = maps.Clone(n.lasting)
			for _, below := range n.names {
				visit(below)
			}
		}
	}
	visit(root)
	d.inodes = found
}
