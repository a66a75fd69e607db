//go:build unix

package tty

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/muesli/cancelreader"
)

// TestInterruptEndsRead interrupts a read that has begun on a terminal with nothing to read, as
// after the kernel called it readable in the moment in which its unread keys were dropped.
func TestInterruptEndsRead(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = master.Close(), slave.Close() }()
	if errors.Is(slave.SetReadDeadline(time.Time{}), os.ErrNoDeadline) {
		t.Skip("terminals have no deadlines on this system")
	}
	none, err := cancelreader.NewReader(strings.NewReader("")) // on slave it would make that blocking, unlike a terminal
	if err != nil {
		t.Fatal(err)
	}
	k := keys{&terminal{File: slave}, none}
	began, ended := make(chan struct{}), make(chan error)
	go func() {
		close(began)
		_, err := k.terminal.Read(make([]byte, 1))
		ended <- err
	}()
	<-began
	k.interrupt()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the read that was interrupted has read something")
		}
	case <-time.After(10 * time.Second):
		t.Error("the read did not end")
	}
}
