// Package powertest gives tests a file system on which the power can be cut: what
// was not synced is lost then, in whole or in part. The file system is a program in a
// module of its own, internal/powerfs, so that the program's knows no FUSE.
package powertest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long the file system may take for anything.
const patience = time.Minute

// Disk is a file system in Dir, until the end of the test.
type Disk struct {
	Dir string

	t       testing.TB
	in      io.Writer
	replies chan string

	mu     sync.Mutex
	failed chan struct{}
}

var program = sync.OnceValues(func() (string, error) {
	_, here, _, _ := runtime.Caller(0)
	dir, err := os.MkdirTemp("", "powerfs-")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "powerfs")
	cmd := exec.Command("go", "build", "-o", file, ".") //nolint:gosec // a path of this package's own
	cmd.Dir = filepath.Join(filepath.Dir(here), "..", "powerfs")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build powerfs: %s", out)
	}
	return file, nil
})

// Start makes an empty disk that keeps as little as POSIX promises. It skips the test
// where this machine does not allow a file system in user space.
func Start(t testing.TB) *Disk {
	t.Helper()
	return start(t)
}

// StartJournal is Start for a disk that keeps names as ext4 and xfs do: in order, and
// all of them with any fsync.
func StartJournal(t testing.TB) *Disk {
	t.Helper()
	return start(t, "-journal")
}

func start(t testing.TB, options ...string) *Disk {
	t.Helper()
	if f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err != nil {
		t.Skip("no power can be cut here, for want of FUSE: ", err)
	} else {
		_ = f.Close()
	}
	file, err := program()
	if err != nil {
		t.Fatal(err)
	}
	d := &Disk{t: t, Dir: t.TempDir(), replies: make(chan string, 1), failed: make(chan struct{})}
	cmd := exec.Command(file, append(options, d.Dir)...) //nolint:gosec,noctx // the program that was built here; the end of its input ends it
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		var out io.Reader
		if out, err = cmd.StdoutPipe(); err == nil {
			err = cmd.Start()
			go d.listen(out)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	d.in = in
	t.Cleanup(func() {
		_ = in.Close()
		for range d.replies { // until it has ended
		}
		_ = cmd.Wait()
	})
	if err := d.reply(); err != nil {
		t.Skip("no power can be cut here: this machine mounts no file system in user space: ", err)
	}
	return d
}

// listen passes on what the file system says.
func (d *Disk) listen(out io.Reader) {
	defer close(d.replies)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "cut" {
			d.mu.Lock()
			close(d.failed)
			d.mu.Unlock()
			continue
		}
		d.replies <- lines.Text()
	}
}

func (d *Disk) reply() error {
	select {
	case line, ok := <-d.replies:
		switch {
		case !ok:
			return errors.New("the file system has ended")
		case line != "ok":
			return errors.New(strings.TrimPrefix(line, "error: "))
		}
		return nil
	case <-time.After(patience):
		return errors.New("the file system does not answer")
	}
}

func (d *Disk) command(format string, args ...any) {
	d.t.Helper()
	if _, err := fmt.Fprintf(d.in, format+"\n", args...); err != nil {
		d.t.Fatal(err)
	}
	if err := d.reply(); err != nil {
		d.t.Fatalf("%s: %v", fmt.Sprintf(format, args...), err)
	}
}

// Arm has the power cut at the n-th change or sync from now.
func (d *Disk) Arm(n int) {
	d.t.Helper()
	d.command("arm %d", n)
}

// Cut cuts the power.
func (d *Disk) Cut() {
	d.t.Helper()
	d.command("cut")
}

// Failed is closed when the power has been cut.
func (d *Disk) Failed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// Restore gives the power back. No process that used the disk may live any more. The
// seed decides what of the rest has reached the disk.
func (d *Disk) Restore(seed int) {
	d.t.Helper()
	d.mu.Lock()
	d.failed = make(chan struct{})
	d.mu.Unlock()
	d.command("restore %d", seed)
}
