//go:build !unix

package local

import (
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lookAgain is how often a waiting process looks: no other process can wake it here.
const lookAgain = time.Second

// pipe is a locked file, which tells whether its process lives.
type pipe struct {
	path string
	lock *flock.Flock
}

func newPipe(dir, name string) (*pipe, error) {
	p := &pipe{path: filepath.Join(dir, name)}
	p.lock = flock.New(p.path)
	err := os.MkdirAll(dir, 0o700)
	if err != nil {
		return nil, err
	}
	return p, p.lock.Lock() // which another process may have for a moment, to find out whether this one lives
}

func (p *pipe) exists() bool {
	_, err := os.Stat(p.path)
	return err == nil
}

func (p *pipe) read(func(id string)) {}

func (p *pipe) close() {
	_ = p.lock.Close()
	_ = os.Remove(p.path)
}

// pipeLives removes what a dead process has left.
func pipeLives(path string) bool {
	lock := flock.New(path, flock.SetFlag(os.O_RDWR))
	got, err := lock.TryLock()
	if got {
		_ = lock.Close()
		_ = os.Remove(path)
	}
	return !got && !os.IsNotExist(err)
}

func wakePipe(string, string) {}
