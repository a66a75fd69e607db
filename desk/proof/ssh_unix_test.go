//go:build unix

package proof

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mcp-askuser/internal/termtest"
)

// TestMain is also the program of TestTerminalAfterSigning: it signs until Ctrl+C.
func TestMain(m *testing.M) {
	if os.Getenv("PROOF_SIGN") == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT)
	_, err := SignSSH(ctx, "key", "Signing …", Statement{})
	stop()
	fmt.Println("ended:", err)
}

// TestTerminalAfterSigning: ssh-keygen, which switches echo off for a passphrase, misses a signal
// that arrives before it reads. It is killed then, and the terminal has its echo again.
func TestTerminalAfterSigning(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const keygen = "#!/bin/sh\ntrap '' INT\nstty -echo </dev/tty\nprintf 'Enter passphrase: ' >/dev/tty\nexec sleep 1000\n"
	if err := os.WriteFile(filepath.Join(dir, "ssh-keygen"), []byte(keygen), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "PROOF_SIGN=1", "PATH="+dir+":"+os.Getenv("PATH"))
	x := termtest.Start(t, cmd, 80, 24)
	echoes := func() bool { return x.Termios().Lflag&unix.ECHO != 0 }
	x.WaitFor("Enter passphrase:")
	if echoes() {
		t.Fatal("the passphrase would be shown")
	}
	x.Type("\x03")
	x.WaitFor("ended: ssh-keygen")
	if x.Wait(); !echoes() {
		t.Error("the terminal is left without echo")
	}
}
