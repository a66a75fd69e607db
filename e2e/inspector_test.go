//go:build e2e && unix

package e2e

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/internal/termtest"
)

// commandLine returns the arguments with which the Inspector runs one method
// of our server and prints the result.
func commandLine(options []string, method ...string) []string {
	return slices.Concat([]string{"--cli"}, options, []string{program, "--method"}, method)
}

func callAsk(options []string) []string {
	return commandLine(options, "tools/call", "--tool-name", "ask_user_question",
		"--tool-arg", "question=Which database?", "--tool-arg", `options=["PostgreSQL","MongoDB"]`)
}

// The Inspector's strict mode refuses schemas that some client cannot read.
func TestListsTheTools(t *testing.T) {
	t.Parallel()
	c := inspector(t)
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(c.output("mcp-inspector", append(commandLine(c.serverEnv(), "tools/list"), "--strict")...), &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if want := []string{"ask_user_question", "await_answer", "confirm_action"}; !slices.Equal(names, want) {
		t.Errorf("the tools are %q, want %q", names, want)
	}
}

// The Inspector's command line declares no form and leaves its terminal free:
// the question comes up there, and the answer is the tool's result.
func TestAnswersOnTheTerminal(t *testing.T) {
	for _, tc := range []struct {
		name   string
		env    []string
		answer func(*testing.T, *termtest.Terminal)
	}{
		{"form", nil, func(_ *testing.T, x *termtest.Terminal) {
			x.WaitFor("Which database?")
			x.Quiet()
			x.Type("2")
			x.WaitFor("(•) MongoDB")
			x.Type("\r")
		}},
		{"plain", []string{"ACCESSIBLE=1"}, func(t *testing.T, x *termtest.Terminal) {
			x.Expect("Which database?")
			x.Expect("2. MongoDB")
			x.Expect(": ")
			if x.FullScreen() {
				t.Error("the plain form took the full screen")
			}
			x.Type("2\r")
			x.Expect("helps: ")
			x.Type("\r")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := inspector(t)
			cmd := c.command("mcp-inspector", callAsk(c.serverEnv(tc.env...))...)
			var out bytes.Buffer
			cmd.Stdout = &out
			x := termtest.Start(t, cmd, 80, 24)
			tc.answer(t, x)
			if status := x.Wait(); status != 0 {
				t.Fatalf("exit status %d\n%s\n%s", status, out.String(), x.Output())
			}
			check(t, out.Bytes(), "answered", answered)
			if x.Termios() != x.Before() || x.FullScreen() {
				t.Error("the terminal was not left as it was found")
			}
		})
	}
}

// Without a form of the client and without a terminal nobody can be asked: an
// error, at once, that tells the model what to do instead.
func TestNobodyToAsk(t *testing.T) {
	t.Parallel()
	const toolIsError = 5 // the Inspector's exit status for it
	c := inspector(t)
	out, stderr, status := c.run("mcp-inspector", callAsk(c.serverEnv())...)
	var r result
	if err := json.Unmarshal(out, &r); err != nil || status != toolIsError {
		t.Fatalf("exit status %d, %v\n%s%s", status, err, out, stderr)
	}
	if !r.IsError || r.StructuredContent.Status != "unavailable" || len(r.Content) != 1 || !strings.Contains(r.Content[0].Text, "in plain text") {
		t.Errorf("got %s", out)
	}
}
