//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"mcp-askuser/cmd/mcp-askuser/settings"
)

// TestArgumentsOfEveryCommand: no command breaks with an empty argument or too many, and each
// refuses too many. They run as an agent's, without a terminal.
func TestArgumentsOfEveryCommand(t *testing.T) {
	a := &app{config: settings.Load(func(string) string { return "" })}
	each(a.root([]string{"help"}), func(c *cobra.Command) {
		for name, args := range map[string][]string{
			"an empty one": {""},
			"one too many": {"x", "x", "x"},
		} {
			t.Run(c.CommandPath()+", "+name, func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				cmd := program(t, home+"/desk", append(strings.Fields(c.CommandPath())[1:], args...)...)
				cmd.Dir = home
				cmd.Env = append(cmd.Env, "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "ASK_SURFACE=plain")
				out, err := cmd.CombinedOutput()
				status := exitStatus(err)
				if status < 0 || status > 128 || strings.Contains(string(out), "goroutine ") {
					t.Errorf("exit status %d: %s", status, out)
				}
				if len(args) > 1 && !strings.Contains(c.Use, "...") && status != exitBad {
					t.Errorf("exit status %d with too many arguments: %s", status, out)
				}
			})
		}
	})
}
