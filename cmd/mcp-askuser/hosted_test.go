//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mcp-askuser/internal/termtest"
)

// hosted is the program as a line-based host runs it: the protocol on pipes,
// the host's terminal as its controlling one.
type hosted struct {
	*termtest.Terminal
	t   *testing.T
	in  *os.File
	out *bufio.Scanner
}

// host starts the program below a shell on a terminal; prepare is what the
// shell does to the terminal first.
func host(t *testing.T, prepare string, env ...string) *hosted {
	t.Helper()
	return hostAs(t, "host", "{}", prepare, env...)
}

// hostAs is host for a client of this name, with these capabilities.
func hostAs(t *testing.T, client, capabilities, prepare string, env ...string) *hosted {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, fifo := range []string{in, out} {
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := program(t, filepath.Join(dir, "desk"))
	path, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Path = path
	cmd.Args = []string{"sh", "-c", prepare + `mcp-askuser serve <"$1" >"$2" 2>"$2.log"; stty sane; echo host is back`,
		"sh", in, out}
	cmd.Env = append(cmd.Env, append([]string{"TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR="}, env...)...)
	h := &hosted{t: t, Terminal: termtest.Start(t, cmd, 80, 24)}
	if h.in, err = os.OpenFile(in, os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.in.Close() })
	results, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = results.Close() })
	h.out = bufio.NewScanner(results)
	h.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":` + capabilities + `,"clientInfo":{"name":"` + client + `","version":"1"}}}`)
	return h
}

func (h *hosted) send(line string) {
	h.t.Helper()
	if _, err := h.in.WriteString(line + "\n"); err != nil {
		h.t.Fatal(err)
	}
}

// result returns the text of the response to call id.
func (h *hosted) result(id string) string {
	h.t.Helper()
	for h.out.Scan() {
		var m struct {
			ID     json.RawMessage
			Result struct{ Content []struct{ Text string } }
		}
		if err := json.Unmarshal(h.out.Bytes(), &m); err != nil {
			h.t.Fatalf("not JSON-RPC on standard output: %q", h.out.Text())
		}
		if string(m.ID) == id && len(m.Result.Content) == 1 {
			return m.Result.Content[0].Text
		}
	}
	h.t.Fatal("the program ended without a response")
	return ""
}

func (h *hosted) ask(id, question string) {
	h.t.Helper()
	h.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"ask_user_question",` +
		`"arguments":{"question":"` + question + `","options":["Yes","No"],"default":"Yes"}}}`)
}

// end ends the connection and checks that the terminal is its owner's again.
func (h *hosted) end() {
	h.t.Helper()
	if err := h.in.Close(); err != nil {
		h.t.Fatal(err)
	}
	h.WaitFor("host is back")
	if h.FullScreen() {
		h.t.Error("the form is still on the terminal")
	}
	if got := h.Wait(); got != 0 {
		h.t.Errorf("exit status %d", got)
	}
}

const answeredNo = `User has answered your questions: "Go on?"="No". You can now continue with the user's answers ` +
	`in mind.`

// A host that reads lines leaves its terminal free: the form comes up on it
// and its answer is the tool's result.
func TestFormOnTheHostsTerminal(t *testing.T) {
	t.Parallel()
	h := host(t, "")
	h.ask("1", "Go on?")
	h.WaitFor("Go on?")
	(&seat{Terminal: h.Terminal}).form("Go on?")
	h.Type("2")
	h.WaitFor("(•) No")
	h.Type("\r")
	if got := h.result("1"); got != answeredNo {
		t.Errorf("got %s", got)
	}
	h.end()
}

// A terminal that a full-screen host holds is not drawn on.
func TestFullScreenHostKeepsItsTerminal(t *testing.T) {
	t.Parallel()
	h := host(t, "stty raw -echo; ")
	h.ask("1", "Go on?")
	if got := h.result("1"); !strings.HasPrefix(got, "Tell the user now") ||
		!strings.Contains(got, "run mcp-askuser inbox") {
		t.Errorf("got %s", got)
	}
	if out := h.Output(); out != "" {
		t.Errorf("something was drawn: %q", out)
	}
	h.end()
}
