//go:build e2e && unix

package e2e

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"mcp-askuser/internal/termtest"
)

// commandLine returns the arguments with which the Inspector runs one method
// of our server and prints the result.
func commandLine(options []string, method ...string) []string {
	return slices.Concat([]string{"--cli"}, options, []string{program, "--method"}, method)
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
	t.Parallel()
	c := inspector(t)
	cmd := c.command("mcp-inspector", commandLine(c.serverEnv(), "tools/call", "--tool-name", "ask_user_question",
		"--tool-arg", "question=Which database?", "--tool-arg", `options=["PostgreSQL","MongoDB"]`)...)
	var out bytes.Buffer
	cmd.Stdout = &out
	x := termtest.Start(t, cmd, 80, 24)
	x.WaitFor("Which database?")
	x.Quiet()
	x.Type("2")
	x.WaitFor("(•) MongoDB")
	x.Type("\r")
	if status := x.Wait(); status != 0 {
		t.Fatalf("exit status %d\n%s\n%s", status, out.String(), x.Output())
	}
	check(t, out.Bytes(), "answered", answered)
	if x.Termios() != x.Before() || x.FullScreen() {
		t.Error("the terminal was not left as it was found")
	}
}
