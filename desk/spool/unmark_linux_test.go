package spool

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"mcp-askuser/desk"
)

// envRespond names the store of a process that runs respond, with the name and the
// id of a mark as its arguments.
const envRespond = "SPOOL_TEST_RESPOND"

// respond is a process that prepares to take a mark out, says which thread it
// runs on, and, when a line has come, writes a response and takes the mark out. It
// then waits to be killed.
func respond(dir, name, id string) {
	runtime.LockOSThread()
	s, err := Open(dir)
	if err != nil {
		panic(err)
	}
	unmark, err := s.PrepareUnmark(context.Background(), desk.MarkContent, name, id)
	if err != nil {
		panic(err)
	}
	fmt.Println(unix.Gettid())
	in := make([]byte, 1)
	_, _ = unix.Read(0, in)
	_, _ = unix.Write(1, []byte("the response\n"))
	_ = unmark()
	_, _ = unix.Read(0, in)
	os.Exit(0)
}

// Invariant: from the moment at which the client can read the response, one system
// call takes the mark out: whatever kills the process after that call, the answer
// is not delivered again. This holds for both forms of a mark.
func TestOneCallAfterTheResponse(t *testing.T) {
	first, second := someID(2031, time.May, 1), someID(2031, time.May, 2)
	for id, want := range map[string][]uint64{
		first:  {unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2}, // a link
		second: {unix.SYS_UNLINKAT},                     // a file: the link is another's
	} {
		s := openNew(t)
		for _, marked := range []string{first, second} {
			if err := s.Mark(t.Context(), desk.MarkContent, "abc", marked); err != nil {
				t.Fatal(err)
			}
		}
		if got := callAfterWrite(t, s.Dir(), "abc", id); !slices.Contains(want, got) {
			t.Errorf("after the response comes system call %d, want one of %v", got, want)
		}
		left := slices.DeleteFunc([]string{first, second}, func(other string) bool { return other == id })
		if ids, err := s.Marks(t.Context(), desk.MarkContent, "abc"); err != nil || !slices.Equal(ids, left) {
			t.Errorf("a process killed after that call leaves the marks %v, %v, want %v", ids, err, left)
		}
	}
}

// ofTheRuntime are calls that Go makes at any time.
var ofTheRuntime = []uint64{unix.SYS_FUTEX, unix.SYS_RT_SIGRETURN, unix.SYS_MADVISE, unix.SYS_MMAP, unix.SYS_SCHED_YIELD, unix.SYS_NANOSLEEP}

// callAfterWrite runs respond under ptrace until the system call that follows its
// write has returned, kills it there, and returns the number of that call.
func callAfterWrite(t *testing.T, dir, name, id string) uint64 {
	t.Helper()
	runtime.LockOSThread() // ptrace speaks to one thread
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(t.Context(), os.Args[0], name, id)
	cmd.Env = append(os.Environ(), envRespond+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	lines := bufio.NewReader(out)
	var thread int
	if _, err := fmt.Fscanln(lines, &thread); err != nil {
		t.Fatal(err)
	}
	if err := unix.PtraceAttach(thread); err != nil {
		t.Skipf("this machine permits no ptrace: %v", err)
	}
	var status unix.WaitStatus
	stopped := func() {
		t.Helper()
		if _, err := unix.Wait4(thread, &status, unix.WALL, nil); err != nil || !status.Stopped() {
			t.Fatalf("the process is not stopped: %#x, %v", status, err)
		}
	}
	stopped()
	const traced = unix.SIGTRAP | 0x80
	if err := unix.PtraceSetOptions(thread, unix.PTRACE_O_TRACESYSGOOD); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintln(in); err != nil {
		t.Fatal(err)
	}
	var call uint64
	written, entered := false, false
	for signal := 0; ; {
		if err := unix.PtraceSyscall(thread, signal); err != nil {
			t.Fatal(err)
		}
		stopped()
		signal = 0
		if status.StopSignal() != traced {
			signal = int(status.StopSignal()) // such as the runtime's own
			if signal == int(unix.SIGSTOP) {
				signal = 0
			}
			continue
		}
		info := syscallInfo(t, thread)
		switch {
		case info.op == unix.PTRACE_SYSCALL_INFO_ENTRY && slices.Contains(ofTheRuntime, info.number):
		case info.op == unix.PTRACE_SYSCALL_INFO_ENTRY:
			call, entered = info.number, true
		case entered && written:
			return call
		case entered:
			written, entered = call == unix.SYS_WRITE, false
		}
	}
}

// info is the head of Linux's struct ptrace_syscall_info at the entry of a call.
type info struct {
	op     uint8
	_      [3]uint8
	_      uint32
	_, _   uint64
	number uint64
	_      [6]uint64
}

func syscallInfo(t *testing.T, thread int) (i info) {
	t.Helper()
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(thread), unsafe.Sizeof(i), uintptr(unsafe.Pointer(&i)), 0, 0)
	if errno != 0 {
		t.Skipf("this kernel does not tell of system calls: %v", errno)
	}
	return i
}
