package main

import (
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
)

// helpWidth is the width of help, in cells: that of the smallest terminal.
const helpWidth = 80

// group adds commands below a heading of the help.
func group(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
	for _, cmd := range commands {
		cmd.GroupID = title
	}
	root.AddCommand(commands...)
}

// family is a command that has others below it, and does nothing itself.
func family(use, short, example string, members ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Example: example,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(members...)
	return cmd
}

// helpTexts has the long help of commands, each in a file of the command's name.
//
//go:embed texts/help
var helpTexts embed.FS

// addHelp gives a command and those below it their long help.
func addHelp(cmd *cobra.Command) {
	each(cmd, func(c *cobra.Command) {
		name := strings.ReplaceAll(strings.TrimPrefix(c.CommandPath(), "mcp-askuser "), " ", "-")
		text, _ := helpTexts.ReadFile("texts/help/" + name + ".txt") // a simple command has none
		c.Long = strings.TrimSuffix(string(text), "\n")
	})
	cmd.SetUsageFunc(usage(cmd.UsageFunc()))
}

// usage returns a function that prints what standard, cobra's own, prints, with flags in 80 columns
// and one line for the global flags. A template of cobra's would keep all methods of all libraries in
// the program.
func usage(standard func(*cobra.Command) error) func(*cobra.Command) error {
	return func(c *cobra.Command) error {
		var b strings.Builder
		out := c.OutOrStderr()
		c.SetOut(&b)
		err := standard(c)
		c.SetOut(out)
		flags := func(usages string) string { return "Flags:\n" + strings.TrimRight(usages, " \n") }
		_, err2 := strings.NewReplacer(
			"Global "+flags(c.InheritedFlags().FlagUsages()),
			"Global flags, as for every command: see mcp-askuser --help",
			flags(c.LocalFlags().FlagUsages()), flags(c.LocalFlags().FlagUsagesWrapped(helpWidth)),
		).WriteString(out, b.String())
		return errors.Join(err, err2)
	}
}

// each calls do with a command and all those below it.
func each(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, c := range cmd.Commands() {
		each(c, do)
	}
}

// welcome is what the program prints on a terminal without a command: one screen.
func welcome(root *cobra.Command) string {
	var first strings.Builder
	var more []string
	for _, c := range root.Commands() {
		switch {
		case !c.IsAvailableCommand():
		case c.GroupID == root.Groups()[0].ID:
			fmt.Fprintf(&first, "  %-*s  %s\n", root.NamePadding(), c.Name(), c.Short)
		default:
			more = append(more, c.Name())
		}
	}
	names := strings.ReplaceAll(ansi.Wordwrap(strings.Join(more, ", "), helpWidth-2, ""), "\n", "\n  ")
	return fmt.Sprintf(`%s.

%s
%s
%s
  %s

mcp-askuser --help says what each does; mcp-askuser COMMAND --help says more.
Agents run it without a command: then it is an MCP server on standard input.
`, root.Short, root.Groups()[0].Title, first.String(), root.Groups()[1].Title, names)
}
