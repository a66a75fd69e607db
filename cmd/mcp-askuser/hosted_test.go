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

	"mcp-askuser/internal/agenthost"
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
	cmd.Args = []string{"sh", "-c", prepare + `mcp-askuser serve <"$1" >"$2" 2>"$2.log"; stty sane; echo host is back`, "sh", in, out}
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
	h.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"ask_user_question","arguments":{"question":"` + question + `","options":["Yes","No"],"default":"Yes"}}}`)
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

const answeredNo = `User has answered your questions: "Go on?"="No". You can now continue with the user's answers in mind.`

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

// Two questions at once share the terminal, one after the other.
func TestTwoQuestionsOnOneTerminal(t *testing.T) {
	t.Parallel()
	h := host(t, "", "ACCESSIBLE=1")
	h.ask("1", "First?")
	h.Expect("First?")
	h.Expect("(:= takes Yes): ")
	h.ask("2", "Second?")
	h.Type("2\r")
	h.Expect("? helps: ")
	h.Type("\r")
	h.Expect("Second?")
	h.Expect("(:= takes Yes): ")
	h.Type("1\r")
	h.Expect("? helps: ")
	h.Type("\r")
	if got := h.result("1"); !strings.Contains(got, `"First?"="No"`) {
		t.Errorf("got %s", got)
	}
	if got := h.result("2"); !strings.Contains(got, `"Second?"="Yes"`) {
		t.Errorf("got %s", got)
	}
	h.end()
}

// A terminal that a full-screen host holds is not drawn on.
func TestFullScreenHostKeepsItsTerminal(t *testing.T) {
	t.Parallel()
	h := host(t, "stty raw -echo; ")
	h.ask("1", "Go on?")
	if got := h.result("1"); !strings.HasPrefix(got, "Tell the user now") || !strings.Contains(got, "run mcp-askuser inbox") {
		t.Errorf("got %s", got)
	}
	if out := h.Output(); out != "" {
		t.Errorf("something was drawn: %q", out)
	}
	h.end()
}

// Below a full-screen host on a plain terminal no surface shows a question that is asked without
// waiting, with progress messages or without. The result names the command with which the user
// answers, or says that a client with a form shows the question once the agent waits.
func TestAskedWithoutWaitingIsNotShown(t *testing.T) {
	for capabilities, later := range map[string]bool{`{}`: false, `{"elicitation":{}}`: true} {
		t.Run(capabilities, func(t *testing.T) {
			t.Parallel()
			h := hostAs(t, "claude-code", capabilities, "stty raw -echo; ", "DISPLAY=", "WAYLAND_DISPLAY=")
			h.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user_question",` +
				`"arguments":{"question":"Go on?","options":["Yes","No"],"wait":false},"_meta":{"progressToken":7}}}`)
			got := h.result("1")
			if !strings.HasPrefix(got, "Tell the user now") ||
				strings.Contains(got, "The user is shown the question when you wait") != later {
				t.Errorf("the agent is told: %s", got)
			}
			h.end()
		})
	}
}

// The end of the connection takes the form away and answers nothing.
func TestHostGoesAway(t *testing.T) {
	t.Parallel()
	h := host(t, "")
	h.ask("1", "Go on?")
	h.WaitFor("Go on?")
	h.end()
	for h.out.Scan() {
		if strings.Contains(h.out.Text(), `"status":"answered"`) {
			t.Errorf("an answer that nobody gave: %s", h.out.Text())
		}
	}
}

// A call that the client cancels takes its form from the client, too.
func TestCancelledCallWithdrawsTheForm(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := dial(t, dir)
	w.hello("claude-code", `{"elicitation":{}}`)
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user_question","arguments":{"question":"Go on?"}}}`)
	form := w.next(func(m message) bool { return m.Method == "elicitation/create" })
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"AbortError: user-cancel"}}`)
	gone := w.next(func(m message) bool { return m.Method == "notifications/cancelled" })
	var params struct{ RequestID json.RawMessage }
	if err := json.Unmarshal(gone.Params, &params); err != nil || string(params.RequestID) != string(form.ID) {
		t.Errorf("cancelled %s, not the form %s", params.RequestID, form.ID)
	}
	_ = w.in.Close()
	for m := range w.lines {
		if m.ID != nil {
			t.Errorf("a response to the cancelled call %s", m.ID)
		}
	}
	if err := w.wait(); err != nil {
		t.Error(err)
	}
}

// Gemini CLI has no form and shows progress: an address, with the whole question behind
// it, and then the ticket with the address for its model.
func TestToldByProgress(t *testing.T) {
	if unattended, _ := agenthost.Above(os.Getpid()); unattended {
		t.Skip("the tests run below a host without a user")
	}
	for _, name := range []string{"CI", "DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"} {
		t.Setenv(name, "")
	}
	w := dial(t, t.TempDir(), "serve", "--surface", "elicit,web")
	w.hello("gemini-cli-mcp-client", `{"roots":{}}`)
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user_question","arguments":{"question":"Go on?","options":["Yes","No"],"wait_for_previous":true},"_meta":{"progressToken":1}}}`)
	var progress struct{ Message string }
	address := ""
	w.next(func(m message) bool {
		if m.Method != "notifications/progress" {
			return false
		}
		if err := json.Unmarshal(m.Params, &progress); err != nil {
			t.Fatal(err)
		}
		var rest string
		address, rest, _ = strings.Cut(progress.Message, " ")
		return strings.Join(strings.Fields(rest), " ") == "waits for your answer: Go on? (Yes, No)"
	})
	if m := w.next(func(m message) bool { return string(m.ID) == "1" }); !strings.HasPrefix(address, "http://") || !strings.Contains(m.Result.Content[0].Text, "They can also open "+address+" in a browser") {
		t.Errorf("told %q, then %v", address, m.Result)
	}
}
