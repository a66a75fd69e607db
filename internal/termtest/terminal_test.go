//go:build unix

package termtest

import (
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestProgramOwnsItsTerminal(t *testing.T) {
	x := Start(t, exec.Command("sh", "-c", `read -r line </dev/tty; echo "got $line" >/dev/tty; exit 7`), 40, 5)
	x.Type("hello\r")
	x.WaitFor("got hello")
	if got := x.Wait(); got != 7 {
		t.Errorf("exit status %d, want 7", got)
	}
}

// A program that asks its terminal a question gets the emulator's reply.
func TestRepliesReachTheProgram(t *testing.T) {
	const ask = `stty raw -echo; printf '\033[6n'; dd bs=1 count=6 2>/dev/null | od -An -c`
	x := Start(t, exec.Command("sh", "-c", ask), 40, 5)
	x.WaitFor("033   [   1   ;   1   R")
}

func TestExpectPassesWhatItFound(t *testing.T) {
	x := Start(t, exec.Command("sh", "-c", `stty -echo; while printf 'more> ' && read -r line; do :; done`), 40, 5)
	for range 3 {
		x.Expect("more> ")
		x.Type("x\r")
	}
	x.Expect("more> ")
	if got := strings.Count(x.Output(), "more> "); got != 4 {
		t.Errorf("the program prompted %d times, want 4: %q", got, x.Output())
	}
}

func TestSettingsAndSize(t *testing.T) {
	x := Start(t, exec.Command("sh", "-c", `trap 'stty size; exit' WINCH; stty -echo; echo ready; while :; do read -r x; done`), 40, 5)
	x.WaitFor("ready")
	if x.Termios().Lflag&unix.ECHO != 0 {
		t.Error("the program switched echo off, the terminal says that it is on")
	}
	x.SetTermios(func(s *unix.Termios) { s.Lflag |= unix.ECHO })
	if x.Termios().Lflag&unix.ECHO == 0 {
		t.Error("echo was switched on, the terminal says that it is off")
	}
	x.Resize(90, 20)
	x.Type("\r")
	x.WaitFor("20 90")
}

func TestHangup(t *testing.T) {
	x := Start(t, exec.Command("sh", "-c", `trap 'exit 5' HUP; echo ready; read -r x; exit 6`), 40, 5)
	x.WaitFor("ready")
	x.Hangup()
	if got := x.Wait(); got != 5 && got != 6 {
		t.Errorf("exit status %d: the program did not notice the hangup", got)
	}
}

func TestFullScreen(t *testing.T) {
	x := Start(t, exec.Command("sh", "-c", `printf '\033[?1049hform'; read -r x; printf '\033[?1049lback'`), 40, 5)
	x.WaitFor("form")
	if !x.FullScreen() {
		t.Error("alternate screen not noticed")
	}
	x.Type("\r")
	x.WaitFor("back")
	if x.FullScreen() {
		t.Error("the end of the alternate screen was not noticed")
	}
}
