//go:build linux

package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
)

var figuresDir = flag.String("figures", "", "measure what is promised, and write the figures into this directory")

// figure is one line of what is promised.
type figure struct {
	what, unit string
	ours       float64
	bare       float64 // of the bare server
	ratio      float64 // the median of those of the pairs
	goal       float64 // at most; of the ratio where there is one
	met        bool
}

// figures measures them.
type figures struct {
	*testing.T
	path string // of the program
	all  []figure
}

// TestFigures measures all that is promised, beside a bare server on mcp-go as
// published, and writes the figures as a table. It fails for no figure: what
// is missed says so in the table.
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
	f.records()
	f.replies()
	fatal.If(t, os.MkdirAll(*figuresDir, 0o755))
	fatal.If(t, os.WriteFile(filepath.Join(*figuresDir, "figures.txt"), f.table(), 0o644))
}

// is adds a figure.
func (f *figures) is(what, unit string, ours, goal float64) {
	f.all = append(f.all, figure{what: what, unit: unit, ours: ours, goal: goal, met: ours <= goal})
}

func (f *figures) table() []byte {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "FIGURE\tMEASURED\tBARE SERVER\tRATIO\tAT MOST\t")
	for _, x := range f.all {
		bare, ratio, missed := "", "", ""
		if x.bare > 0 {
			bare, ratio = fmt.Sprintf("%.4g %s", x.bare, x.unit), fmt.Sprintf("%.2f", x.ratio)
		}
		if !x.met {
			missed = "missed"
		}
		fmt.Fprintf(w, "%s\t%.4g %s\t%s\t%s\t%g\t%s\n", x.what, x.ours, x.unit, bare, ratio, x.goal, missed)
	}
	w.Flush()
	return b.Bytes()
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

// start measures to the response to initialize, and the memory resident after tools/list, in
// turns: of ours as released and as go install builds it, and of a bare server.
func (f *figures) start() {
	bare := filepath.Join(f.TempDir(), "bare")
	out, err := exec.Command("go", "build", "-o", bare, "./testdata/emptyserver").CombinedOutput()
	if err != nil {
		f.Fatalf("%v: %s", err, out)
	}
	paths := []string{f.path, built(f), bare}
	var took, memory [3][]float64
	for range 40 {
		for i, path := range paths {
			at := time.Now()
			r := f.serve(path, f.TempDir())
			took[i] = append(took[i], ms(time.Since(at)))
			r.response(r.request("tools/list", `{}`))
			memory[i] = append(memory[i], f.resident(r))
			_ = r.in.Close()
			_ = r.wait()
		}
	}
	f.beside("start to the initialize response", "ms", took[0], took[2], 0.85)
	f.beside("… as go install builds it", "ms", took[1], took[2], 1.35)
	f.is("resident after tools/list", "MiB", percentile(memory[0], 0.5), 14)
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

// beside adds a figure of pairs.
func (f *figures) beside(what, unit string, ours, bare []float64, goal float64) {
	var ratios []float64
	for i := range ours {
		ratios = append(ratios, ours[i]/bare[i])
	}
	ratio := percentile(ratios, 0.5)
	f.all = append(f.all, figure{what, unit, percentile(ours, 0.5), percentile(bare, 0.5), ratio, goal, ratio <= goal})
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
