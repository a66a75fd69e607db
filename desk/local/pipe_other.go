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
type pipe struct{ lock *flock.Flock }

func newPipe(path string) (*pipe, error) {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err != nil {
		return nil, err
	}
	p := &pipe{flock.New(path)}
	return p, p.lock.Lock() // which another process may have for a moment, to find out whether this one lives
}

func (p *pipe) read(func(id string)) {}

func (p *pipe) close() {
	_ = p.lock.Close()
	_ = os.Remove(p.lock.Path())
}

func pipeLives(path string) bool {
	lock := flock.New(path, flock.SetFlag(os.O_RDWR))
	got, err := lock.TryLock()
	if got {
		_ = lock.Close()
	}
	return !got && !os.IsNotExist(err)
}

func wakePipe(string, string) {}
