//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-askuser/internal/termtest"
)

// program is the built program.
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

// client is one of the Inspector's programs, with its own Node and its own
// home.
type client struct {
	t   *testing.T
	env []string
	bin string
}

func inspector(t *testing.T) *client {
	t.Helper()
	modules, err := filepath.Abs("node_modules")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(modules); err != nil {
		t.Fatalf("%v; run make e2e, which installs the Inspector", err)
	}
	home := t.TempDir()
	return &client{t, append(os.Environ(),
		"HOME="+home,
		"PATH="+filepath.Join(modules, "node", "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"MCP_INSPECTOR_SECRET_STORE=memory",
		"MCP_ASKUSER_DIR="+filepath.Join(home, "desk"),
		"GORACE=atexit_sleep_ms=0",
		"TERM=xterm-256color", "ACCESSIBLE=", "NO_COLOR=",
	), filepath.Join(modules, ".bin")}
}

func (c *client) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.t.Context(), filepath.Join(c.bin, name), args...)
	cmd.Env = c.env
	return cmd
}

// output runs a client to its end and returns what it printed.
func (c *client) output(name string, args ...string) []byte {
	c.t.Helper()
	out, err := c.command(name, args...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			c.t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, exit.Stderr)
		}
		c.t.Fatal(err)
	}
	return out
}

func TestListsTheTools(t *testing.T) {
	t.Parallel()
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(inspector(t).output("mcp-inspector", "--cli", program, "--method", "tools/list"), &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if got := strings.Join(names, " "); got != "ask_user_question await_answer confirm_action" {
		t.Errorf("the tools are %s", got)
	}
}

const ask = `{"question":"Which database?","header":"Database","options":["PostgreSQL","MongoDB"]}`

// The Inspector's command line declares no form and leaves its terminal free:
// the question comes up there, and the answer is the tool's result.
func TestAnswersOnTheTerminal(t *testing.T) {
	t.Parallel()
	c := inspector(t)
	cmd := c.command("mcp-inspector", "--cli", program, "--method", "tools/call", "--tool-name", "ask_user_question",
		"--tool-arg", `question=Which database?`, "--tool-arg", `options=["PostgreSQL","MongoDB"]`)
	var out bytes.Buffer
	cmd.Stdout = &out
	x := termtest.Start(t, cmd, 80, 24)
	x.WaitFor("Which database?")
	<-time.After(350 * time.Millisecond) // keys of the first 300 ms were meant for something else
	x.Type("2")
	x.WaitFor("(•) MongoDB")
	x.Type("\r")
	if status := x.Wait(); status != 0 {
		t.Fatalf("exit status %d\n%s\n%s", status, out.String(), x.Output())
	}
	check(t, out.Bytes(), `User has answered your questions: "Which database?"="MongoDB". You can now continue with the user's answers in mind.`)
	if x.Termios() != x.Before() || x.FullScreen() {
		t.Error("the terminal was not left as it was found")
	}
}

func check(t *testing.T, result []byte, text string) {
	t.Helper()
	var r struct {
		Content           []struct{ Text string }
		StructuredContent struct{ Message string }
	}
	if err := json.Unmarshal(result, &r); err != nil {
		t.Fatalf("%v: %s", err, result)
	}
	if len(r.Content) != 1 || r.Content[0].Text != text || r.StructuredContent.Message != text {
		t.Errorf("got %s\nwant %s", result, text)
	}
}

// mcpdo shows the form's schema and takes the answer, as a request of ours in
// the older era and as a round trip of the call in the newer one.
func TestAnswersTheForm(t *testing.T) {
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			c := inspector(t)
			c.daemon()
			mcpdo := func(args ...string) []byte {
				t.Helper()
				return c.output("mcpdo", append([]string{"--format", "json", "--connection", "askuser"}, args...)...)
			}
			connected := mcpdo("connect", "--era", era, "--", program, "serve")
			var connection struct{ ProtocolEra string }
			if err := json.Unmarshal(connected, &connection); err != nil || connection.ProtocolEra != era {
				t.Fatalf("connected as %s (%v)", connected, err)
			}
			id := pending(t, mcpdo("tools/call", "ask_user_question", ask))
			check(t, mcpdo("elicitation/respond", id, `{"q1":"MongoDB"}`),
				`User has answered your questions: "Which database?"="MongoDB". You can now continue with the user's answers in mind.`)

			id = pending(t, mcpdo("tools/call", "ask_user_question", ask))
			<-time.After(1100 * time.Millisecond) // a decline within the first second is the host's own
			check(t, mcpdo("elicitation/respond", id, "--decline"),
				"User dismissed the question without answering. Go on without assuming that any option was chosen.")
		})
	}
}

// daemon gives the client a daemon of its own until the end of the test.
func (c *client) daemon() {
	c.t.Helper()
	for line := range strings.Lines(string(c.output("mcpdo", "private"))) {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if ok {
			c.env = append(c.env, name+"="+strings.Trim(value, "'"))
		}
	}
	stop := exec.Command(filepath.Join(c.bin, "mcpdo"), "daemon", "stop")
	stop.Env = c.env
	c.t.Cleanup(func() {
		if out, err := stop.CombinedOutput(); err != nil {
			c.t.Errorf("stop the daemon: %v: %s", err, out)
		}
	})
}

// pending returns the id of the form that a call waits for.
func pending(t *testing.T, out []byte) string {
	t.Helper()
	var r struct {
		ElicitationPending struct{ ElicitationID string }
	}
	if err := json.Unmarshal(out, &r); err != nil || r.ElicitationPending.ElicitationID == "" {
		t.Fatalf("no form is pending: %v: %s", err, out)
	}
	return r.ElicitationPending.ElicitationID
}
