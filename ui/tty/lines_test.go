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
	reader, err := cancelreader.NewReader(strings.NewReader("")) // of slave it would make that blocking
	if err != nil {
		t.Fatal(err)
	}
	k := keys{&terminal{File: slave}, reader}
	ended := make(chan error)
	go func() {
		_, err := k.terminal.Read(make([]byte, 1))
		ended <- err
	}()
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
