package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/desk/local"
)

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

// running is a started program that speaks JSON-RPC.
type running struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(b testing.TB, path, dir string, args ...string) *running {
	b.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), local.EnvDir+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	return &running{cmd, in, bufio.NewReaderSize(out, 1<<16)}
}

func (r *running) say(b testing.TB, line string) {
	b.Helper()
	if _, err := io.WriteString(r.in, line); err != nil {
		b.Fatal(err)
	}
}

func (r *running) hear(b testing.TB) string {
	b.Helper()
	line, err := r.out.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return line
}

func (r *running) stop() {
	_ = r.in.Close()
	_ = r.cmd.Wait()
}

// resident returns the program's resident memory in MiB.
func (r *running) resident(b testing.TB) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	if err != nil {
		b.Skip(err)
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	var kib float64
	if _, err := fmt.Sscan(after, &kib); err != nil {
		b.Fatal(err)
	}
	return kib / 1024
}

func percentile(all []float64, p float64) float64 {
	slices.Sort(all)
	return all[min(len(all)-1, int(p*float64(len(all))))]
}
