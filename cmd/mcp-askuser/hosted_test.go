//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
)

// hosted is the program as a line-based host runs it: the protocol on pipes, the host's terminal
// as its controlling one.
type hosted struct {
	*termtest.Terminal
	*connection
}

// host starts the program below a shell on a terminal, and asks. What prepare does to the
// terminal precedes it.
func host(t *testing.T, prepare string) hosted {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, fifo := range []string{in, out} {
		fatal.If(t, syscall.Mkfifo(fifo, 0o600))
	}
	cmd := program(t, filepath.Join(dir, "desk"))
	path, err := exec.LookPath("sh")
	fatal.If(t, err)
	cmd.Path = path
	cmd.Args = []string{"sh", "-c",
		prepare + `mcp-askuser serve <"$1" >"$2" 2>"$2.log"; stty sane; echo host is back`, "sh", in, out}
	h := hosted{seated(t, 80, 24, cmd).Terminal, &connection{t: t, stderr: &bytes.Buffer{}}}
	w, err := os.OpenFile(in, os.O_WRONLY, 0)
	fatal.If(t, err)
	results, err := os.Open(out)
	fatal.If(t, err)
	t.Cleanup(func() { _, _ = w.Close(), results.Close() })
	h.in = w
	h.listen(results)
	h.hello("host", `{}`)
	h.send(goOn, 1, 1)
	return h
}

// result returns the text of the response to the question.
func (h hosted) result() string {
	h.t.Helper()
	m := h.next(func(m message) bool { return string(m.ID) == "1" })
	if len(m.Result.Content) != 1 {
		h.t.Fatalf("the result is %+v", m)
	}
	return m.Result.Content[0].Text
}

// end ends the connection and checks that the terminal is its owner's again.
func (h hosted) end() {
	h.t.Helper()
	_ = h.in.Close()
	h.WaitFor("host is back")
	if h.FullScreen() {
		h.t.Error("the form is still on the terminal")
	}
	if got := h.Wait(); got != 0 {
		h.t.Errorf("exit status %d", got)
	}
}

// A host that reads lines leaves its terminal free: the form appears on it, and its answer is
// the tool's result.
func TestFormOnTheHostsTerminal(t *testing.T) {
	t.Parallel()
	h := host(t, "")
	(&seat{Terminal: h.Terminal}).form("Go on?")
	h.Type("2")
	h.WaitFor("(•) No")
	h.Type("\r")
	got := h.result()
	if got != `User has answered your questions: "Go on?"="No". You can now continue with the user's answers in mind.` {
		t.Errorf("got %s", got)
	}
	h.end()
}

// A terminal that a full-screen host holds is not drawn on.
func TestFullScreenHostKeepsItsTerminal(t *testing.T) {
	t.Parallel()
	h := host(t, "stty raw -echo; ")
	got := h.result()
	if !strings.HasPrefix(got, "Tell the user now") || !strings.Contains(got, "run mcp-askuser inbox") {
		t.Errorf("got %s", got)
	}
	if out := h.Output(); out != "" {
		t.Errorf("something was drawn: %q", out)
	}
	h.end()
}
