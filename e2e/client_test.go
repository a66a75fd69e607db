//go:build e2e && unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-askuser/internal/fatal"
)

// program is the built program, with the race detector in it.
var program string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "askuser-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "mcp-askuser")
	if out, err := exec.Command("go", "build", "-race", "-o", program, "../cmd/mcp-askuser").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// deadline is how long one test's clients may run in all, far above what they
// need.
const deadline = 45 * time.Second

// client runs the Inspector's programs on a Node of their own, in a home of
// their own. The server gets that home from them, and so a store of its own.
type client struct {
	t     *testing.T
	ctx   context.Context
	bin   string
	env   []string
	races string // what the server's race reports start with
}

func inspector(t *testing.T) *client {
	t.Helper()
	modules, err := filepath.Abs("npm/clients/node_modules")
	fatal.If(t, err)
	if _, err := os.Stat(modules); err != nil {
		t.Fatalf("%v; run make e2e, which installs the Inspector", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline) // outlives the test's own, for the cleanup
	t.Cleanup(cancel)
	home := t.TempDir()
	c := &client{t: t, ctx: ctx, bin: filepath.Join(modules, ".bin"), races: filepath.Join(home, "race")}
	c.env = append(os.Environ(),
		"HOME="+home, "TMPDIR="+home,
		"PATH="+filepath.Join(modules, ".bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"TERM=xterm-256color",
	)
	t.Cleanup(c.noRaces)
	return c
}

// serverEnv returns the options that hand variables to the server, to which
// the Inspector passes only HOME, PATH, TERM and the like (FACTS 1).
func (c *client) serverEnv() []string {
	return []string{"-e", "GORACE=atexit_sleep_ms=0 log_path=" + c.races}
}

func (c *client) noRaces() {
	reports, err := filepath.Glob(c.races + "*")
	fatal.If(c.t, err)
	for _, path := range reports {
		report, err := os.ReadFile(path)
		c.t.Errorf("the race detector reports (%v):\n%s", err, report)
	}
}

// output runs a program of the Inspector that must succeed and returns what it printed. It runs in a
// session of its own, so that the server does not have the terminal of the tests.
func (c *client) output(name string, args ...string) []byte {
	c.t.Helper()
	cmd := exec.CommandContext(c.ctx, filepath.Join(c.bin, name), args...)
	cmd.Env = c.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, &stderr)
	}
	return out
}

// result is a tool's result as the Inspector prints it.
type result struct {
	IsError           bool
	Content           []struct{ Text string }
	StructuredContent struct{ Status, Summary string }
}

const (
	answered  = `User has answered your questions: "Which database?"="MongoDB". You can now continue with the user's answers in mind.`
	dismissed = "User dismissed the question without answering. Go on without assuming that any option was chosen."
)

// check checks a printed result: its status, the text for the model, and that there is
// a line for people.
func check(t *testing.T, printed []byte, status, text string) {
	t.Helper()
	var r result
	if err := json.Unmarshal(printed, &r); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	if len(r.Content) != 1 || r.Content[0].Text != text || r.StructuredContent.Summary == "" || r.StructuredContent.Status != status || r.IsError {
		t.Errorf("got %s\nwant %s: %s", printed, status, text)
	}
}
