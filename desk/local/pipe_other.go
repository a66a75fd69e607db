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
	name string
	lock *flock.Flock
}

const pipeDir = "live"

func newPipe(dir, name string) (*pipe, error) {
	p := &pipe{name: name, lock: flock.New(filepath.Join(dir, pipeDir, name))}
	err := os.MkdirAll(filepath.Dir(p.lock.Path()), 0o700)
	if err != nil {
		return nil, err
	}
	_, err = p.lock.TryLock()
	return p, err
}

func (p *pipe) exists() bool {
	_, err := os.Stat(p.lock.Path())
	return err == nil
}

func (p *pipe) read(func(id string)) {}

func (p *pipe) close() {
	_ = p.lock.Close()
	_ = os.Remove(p.lock.Path())
}

// pipeLives removes what a dead process has left.
func pipeLives(dir, name string) bool {
	lock := flock.New(filepath.Join(dir, pipeDir, name), flock.SetFlag(os.O_RDWR))
	got, err := lock.TryLock()
	if got {
		_ = lock.Close()
		_ = os.Remove(lock.Path())
	}
	return !got && !os.IsNotExist(err)
}

func wakePipe(dir, name, _ string) bool { return pipeLives(dir, name) }
