//go:build linux

package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

var figuresDir = flag.String("figures", "", "measure what is promised, and write the figures into this directory")

// figures measures them.
type figures struct {
	*testing.T
	path string // of the program
	text strings.Builder
}

// TestFigures measures all that is promised, and writes the figures as text. It fails for no
// figure: what is missed says so.
func TestFigures(t *testing.T) {
	if *figuresDir == "" {
		t.Skip("measures only where -figures says so")
	}
	f := &figures{T: t, path: built(t, "-trimpath", "-ldflags=-s -w")}
	f.start()
	f.size()
	f.idle()
	f.key()
	f.withdrawals()
	f.waiting()
	f.replies()
	fatal.If(t, os.MkdirAll(*figuresDir, 0o755))
	fatal.If(t, os.WriteFile(filepath.Join(*figuresDir, "figures.txt"), []byte(f.text.String()), 0o644))
}

// is adds a figure, which is to be goal at most.
func (f *figures) is(what, unit string, ours, goal float64) {
	missed := ""
	if ours > goal {
		missed = ", missed"
	}
	fmt.Fprintf(&f.text, "%-60s %8.4g %s (at most %g%s)\n", what, ours, unit, goal, missed)
}

// built builds the program, with flags, and returns its path.
func built(t testing.TB, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), ".")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// start measures to the response to initialize, and the memory resident after tools/list.
func (f *figures) start() {
	var took, memory []float64
	for range 40 {
		at := time.Now()
		r := f.serve(f.path, f.TempDir())
		took = append(took, ms(time.Since(at)))
		r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		r.next(func(m message) bool { return string(m.ID) == "1" })
		memory = append(memory, f.resident(r))
		_ = r.in.Close()
		_ = r.wait()
	}
	f.is("start to the initialize response", "ms", percentile(took, 0.5), 25)
	f.is("resident after tools/list", "MiB", percentile(memory, 0.5), 14)
}

// serve starts a server of the program at a path, until it has answered to initialize.
func (f *figures) serve(path, dir string, args ...string) *connection {
	cmd := f.command(dir, args...)
	cmd.Path = path
	w := speakTo(f.T, cmd)
	w.hello("bench", `{}`)
	return w
}

// resident returns the program's resident memory in MiB.
func (f *figures) resident(w *connection) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
	if err != nil {
		f.Skip(err)
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	var kib float64
	if _, err := fmt.Sscan(after, &kib); err != nil {
		f.Fatal(err)
	}
	return kib / 1024
}

func percentile(all []float64, p float64) float64 {
	slices.Sort(all)
	return all[min(len(all)-1, int(p*float64(len(all))))]
}

func (f *figures) size() {
	info, err := os.Stat(f.path)
	fatal.If(f, err)
	f.is("the program, static", "MB", float64(info.Size())/1e6, 24.7)
}

// command is the program with these arguments on a store.
func (f *figures) command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(f.path, args...)
	cmd.Env = append(os.Environ(), "MCP_ASKUSER_DIR="+dir, "TERM=xterm-256color")
	return cmd
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// switches counts the context switches of all threads of a process so far.
func (f *figures) switches(pid int) (n float64) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, thread := range threads {
		data, _ := os.ReadFile(thread)
		for line := range strings.Lines(string(data)) {
			if name, value, _ := strings.Cut(line, ":"); strings.HasSuffix(name, "ctxt_switches") {
				var k float64
				_, _ = fmt.Sscan(value, &k)
				n += k
			}
		}
	}
	return n
}

// rest adds what a process costs while nothing happens.
func (f *figures) rest(what string, pid int, atMost float64, during time.Duration) {
	waittest.Pass(f.Context(), 5*time.Second) // it has come to rest
	before := f.switches(pid)
	waittest.Pass(f.Context(), during)
	f.is(what+": context switches a second", "", (f.switches(pid)-before)/during.Seconds(), atMost)
}
