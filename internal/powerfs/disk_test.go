package main

import (
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
)

// file makes a file with a content, under a name in the root.
func (d *disk) file(name, content string) *inode {
	n := d.make(syscall.S_IFREG|0o600, 0, 0)
	d.put(change{[]place{{root, name}}, []uint64{n.id}})
	n.write([]byte(content), 0)
	return n
}

// found returns the content under a name in the root, or "none".
func (d *disk) found(name string) string {
	n := d.inodes[d.inodes[root].names[name]]
	if n == nil {
		return "none"
	}
	return string(n.data)
}

// What was synced survives every cut; what was not may survive, in each of the ways
// that POSIX allows, and all of them occur.
func TestRestore(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(d *disk)
		at   string   // the name that is looked at
		want []string // what may be there afterwards, sorted
	}{
		{"nothing synced", func(d *disk) { d.file("a", "one") }, "a", []string{"", "none", "one"}},
		{"the content", func(d *disk) { d.file("a", "one").syncFile() }, "a", []string{"none", "one"}},
		{"the name", func(d *disk) { d.file("a", "one"); d.syncDir(root) }, "a", []string{"", "one"}},
		{"both", func(d *disk) { d.file("a", "one").syncFile(); d.syncDir(root) }, "a", []string{"one"}},
		{"written over", func(d *disk) {
			n := d.file("a", "one")
			n.syncFile()
			d.syncDir(root)
			n.write([]byte("two"), 0)
		}, "a", []string{"one", "two"}},
		{"emptied", func(d *disk) {
			n := d.file("a", "one")
			n.syncFile()
			d.syncDir(root)
			n.truncate(0)
		}, "a", []string{"", "one"}},
		{"removed", func(d *disk) {
			d.file("a", "one").syncFile()
			d.syncDir(root)
			d.put(change{[]place{{root, "a"}}, []uint64{0}})
		}, "a", []string{"none", "one"}},
		{"moved over another", func(d *disk) {
			d.file("a", "one").syncFile()
			n := d.file("b", "two")
			n.syncFile()
			d.syncDir(root)
			d.put(change{[]place{{root, "b"}, {root, "a"}}, []uint64{0, n.id}})
		}, "a", []string{"one", "two"}},
		{"in a directory without a lasting name", func(d *disk) {
			dir := d.make(syscall.S_IFDIR|0o700, 0, 0)
			d.put(change{[]place{{root, "dir"}}, []uint64{dir.id}})
			n := d.file("a", "one")
			n.syncFile()
			d.put(change{[]place{{root, "a"}, {dir.id, "a"}}, []uint64{0, n.id}})
			d.syncDir(dir.id)
		}, "a", []string{"none"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for seed := range uint64(200) {
				d := newDisk()
				tc.do(d)
				d.restore(rand.New(rand.NewPCG(seed, 0)))
				if found := d.found(tc.at); !slices.Contains(got, found) {
					got = append(got, found)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, tc.want) {
				t.Errorf("there is %q, want %q", got, tc.want)
			}
		})
	}
}

// A write of several sectors is torn between any two of them, and nowhere else.
func TestTornWrite(t *testing.T) {
	content := slices.Repeat([]byte{'x'}, 3*sector)
	torn := 0
	for seed := range uint64(200) {
		d := newDisk()
		d.file("a", string(content))
		d.syncDir(root)
		d.restore(rand.New(rand.NewPCG(seed, 0)))
		data := []byte(d.found("a"))
		for at := 0; at < len(data); at += sector {
			part := data[at:min(at+sector, len(data))]
			if len(slices.Compact(slices.Clone(part))) > 1 {
				t.Fatalf("a sector is torn: %q", part)
			}
			if part[0] == 0 {
				torn++
			}
		}
	}
	if torn == 0 {
		t.Error("no write is ever torn")
	}
}

// The power is cut at the change that was asked for, and nothing is changed after it.
func TestArm(t *testing.T) {
	d := newDisk()
	cuts := 0
	d.onCut = func() { cuts++ }
	d.left = 3
	if !d.step() || !d.step() || d.step() || d.step() || cuts != 1 {
		t.Errorf("cut %d times, %d steps left", cuts, d.left)
	}
}
