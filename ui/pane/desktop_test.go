//go:build unix

package pane

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcp-askuser/internal/termtest"
	"mcp-askuser/ui"
)

// display starts a screen of the test's own and returns the variable that
// names it. Two that start at once may fight for a number: tests that call it
// do not run in parallel.
func display(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		t.Skip("needs Xvfb")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	t.Cleanup(func() { _, _ = cmd.Process.Signal(syscall.SIGTERM), cmd.Wait() }) // so that it takes its files away
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb does not say its display: %v", err)
	}
	return "DISPLAY=:" + strings.TrimSpace(number)
}

// announced is the stand-in program, and a pipe on which it says its arguments
// as it starts.
func announced(t *testing.T) (self string, says func() string) {
	t.Helper()
	dir := t.TempDir()
	self, pipe := dir+"/program", dir+"/pipe"
	script := "#!/bin/sh\necho \"$@\" >'" + pipe + "'\nexec '" + os.Args[0] + "' \"$@\"\n"
	if err := errors.Join(os.WriteFile(self, []byte(script), 0o700), unix.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	return self, func() string { return readPipe(t, pipe) }
}

// readPipe returns what the next process says on the named pipe.
func readPipe(t *testing.T, path string) string {
	t.Helper()
	text := make(chan string, 1)
	go func() {
		data, _ := os.ReadFile(path)
		text <- string(data)
	}()
	select {
	case said := <-text:
		return said
	case <-time.After(termtest.Deadline):
		t.Fatal("nothing was said on " + path)
		return ""
	}
}

func TestDesktopWindow(t *testing.T) {
	if _, err := exec.LookPath("xterm"); err != nil {
		t.Skip("needs xterm")
	}
	env := display(t)
	for _, tt := range []struct {
		name string
		end  func(*rig, *pane)
	}{
		{"withdrawn", func(*rig, *pane) {}},
		{"closed", func(_ *rig, p *pane) {
			if err := p.lifeline.process.Kill(); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			d := findDesktop(variables(env))
			if d == nil {
				t.Fatal("no terminal emulator was found")
			}
			self, says := announced(t)
			p, err := d.open(t.Context(), []string{"MCP_ASKUSER_DIR=" + r.dir, separator, self, "answer", r.rec.ID})
			if err != nil {
				t.Fatal(err)
			}
			if got := says(); got != "answer "+r.rec.ID+"\n" {
				t.Errorf("the window runs %q", got)
			}
			tt.end(r, p)
			p.close()
			within(t, p.lifeline.gone, "the window's end")
			if got := r.state(); got != "pending" {
				t.Errorf("the question is %s", got)
			}
		})
	}
}

func TestDesktopWithoutDisplay(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("xterm"); err != nil {
		t.Skip("needs xterm")
	}
	s := newRig(t)
	err := s.surface("DISPLAY=:4711").Show(t.Context(), s.rec, nil)
	if !errors.Is(err, ui.ErrUnavailable) || !strings.HasPrefix(err.Error(), "desktop: ") {
		t.Errorf("Show returned %v", err)
	}
}
