package main

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// helpWidth is the width of help, in cells: that of the smallest terminal.
const helpWidth = 80

// group adds commands below a heading of the help.
func group(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, cmd := range commands {
		cmd.GroupID = title
	}
	root.AddCommand(commands...)
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
}

// each calls do with a command and all those below it.
func each(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, c := range cmd.Commands() {
		each(c, do)
	}
}

// translate translates the help of a command and those below it, but not examples, and
// puts the types of questions in place of {types}.
func translate(cmd *cobra.Command) {
	types := strings.Join(question.Types(), ", ")
	eachText(cmd, func(text *string) { *text = strings.Replace(words.T(*text), "{types}", types, 1) })
}

// eachText calls do with every text of the help of a command and those below it.
func eachText(cmd *cobra.Command, do func(*string)) {
	each(cmd, func(c *cobra.Command) {
		for _, text := range []*string{&c.Short, &c.Long} {
			if *text != "" {
				do(text)
			}
		}
		for _, g := range c.Groups() {
			do(&g.Title)
		}
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { do(&f.Usage) })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { do(&f.Usage) })
	})
}

// help prints what a command does, its commands, flags and examples.
func help(cmd *cobra.Command, _ []string) {
	cmd.InitDefaultHelpFlag()
	cmd.Flags().Lookup("help").Hidden = true // the reader has found it
	var b strings.Builder
	section := func(heading, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s\n%s\n", heading, strings.Trim(text, "\n"))
		}
	}
	text := cmp.Or(cmd.Long, words.Local.Sentence(cmd.Short))
	b.WriteString(ansi.Wrap(strings.TrimSpace(text), helpWidth, "") + "\n")
	if cmd.Runnable() && cmd.HasParent() {
		section(words.T("Usage"), "  "+usage(cmd))
	}
	for _, g := range cmd.Groups() {
		section(g.Title, commandList(cmd, g.ID))
	}
	section(words.T("Commands"), commandList(cmd, "")) // of no group
	if cmd.HasParent() || !cmd.HasSubCommands() {
		section(words.T("Flags"), flagList(cmd, false))
	}
	section(words.T("Examples"), cmd.Example)
	section(words.T("Global flags"), flagList(cmd, true))
	if cmd.HasSubCommands() {
		b.WriteString("\n" + words.T("Run %s COMMAND --help for more.", cmd.CommandPath()) + "\n")
	}
	_, _ = io.WriteString(cmd.OutOrStdout(), b.String()) // it remembers its error
}

func usage(cmd *cobra.Command) string {
	return strings.Replace(cmd.UseLine(), "[flags]", words.T("[flags]"), 1)
}

// flagList lists the global flags of a command, or its others, with their help wrapped
// beside them. The library's own list counts bytes, not cells.
func flagList(cmd *cobra.Command, global bool) string {
	const border = "\x1f"
	var flags pflag.FlagSet
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if global == (cmd.Root().PersistentFlags().Lookup(f.Name) == f) {
			line := *f
			line.Usage = border + f.Usage
			flags.AddFlag(&line)
		}
	})
	if !flags.HasAvailableFlags() {
		return ""
	}
	lines := strings.Split(strings.TrimSuffix(flags.FlagUsages(), "\n"), "\n")
	width := 0
	for _, line := range lines {
		name, _, _ := strings.Cut(line, border)
		width = max(width, ansi.StringWidth(strings.TrimRight(name, " "))+3)
	}
	var b strings.Builder
	for _, line := range lines {
		name, text, _ := strings.Cut(line, border)
		text = strings.Replace(text, " (default ", " ("+words.T("default")+" ", 1)
		for part := range strings.SplitSeq(ansi.Wrap(text, helpWidth-width, ""), "\n") {
			name = strings.TrimRight(name, " ")
			b.WriteString(name + strings.Repeat(" ", width-ansi.StringWidth(name)) + strings.TrimSpace(part) + "\n")
			name = ""
		}
	}
	return b.String()
}

func commandList(cmd *cobra.Command, group string) string {
	var b strings.Builder
	for _, c := range cmd.Commands() {
		if c.GroupID == group && c.IsAvailableCommand() {
			fmt.Fprintf(&b, "  %-*s  %s\n", cmd.NamePadding(), c.Name(), ansi.Truncate(c.Short, helpWidth-4-cmd.NamePadding(), "…"))
		}
	}
	return b.String()
}

// welcome is what the program prints on a terminal without a command: one screen.
func welcome(root *cobra.Command) string {
	var b strings.Builder
	first, more := root.Groups()[0], root.Groups()[1]
	var names []string
	for _, c := range root.Commands() {
		if c.GroupID == more.ID && c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	list := strings.ReplaceAll(ansi.Wordwrap(strings.Join(names, ", "), helpWidth-2, ""), "\n", "\n  ")
	fmt.Fprintf(&b, "%s\n\n%s\n%s\n%s\n  %s\n", words.Local.Sentence(root.Short), first.Title, commandList(root, first.ID), more.Title, list)
	b.WriteString("\n" + words.T(`mcp-askuser --help says what each does; mcp-askuser COMMAND --help says more.
Agents run it without a command: then it is an MCP server on standard input.`) + "\n")
	return b.String()
}
