package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/ui/words"
)

//go:generate go test -count=1 -run ^TestManPages$ . -man ../../bin/man

var manDir = flag.String("man", "", "write the man pages into this directory")

// commands are all commands that people see, the root first.
func commands() []*cobra.Command {
	a := &app{config: settings.New()}
	root := a.root([]string{"help"})
	root.InitDefaultHelpCmd()
	all := []*cobra.Command{root}
	for i := 0; i < len(all); i++ {
		for _, c := range all[i].Commands() {
			if c.IsAvailableCommand() {
				all = append(all, c)
			}
		}
	}
	return all
}

// What a human reads who runs the program by itself is one screen, with room
// for the next prompt, and names every command.
func TestWelcome(t *testing.T) {
	root := commands()[0]
	text := welcome(root)
	if lines := strings.Count(text, "\n"); lines > 23 {
		t.Errorf("%d lines:\n%s", lines, text)
	}
	narrow(t, "welcome", text)
	for _, c := range root.Commands() {
		if c.Hidden {
			continue
		}
		if c.GroupID == "" {
			t.Errorf("%s is in no group of the help", c.Name())
		}
		if !strings.Contains(text, c.Name()) {
			t.Errorf("%s is not named", c.Name())
		}
	}
}

// Every command says what it is for in a line that is shown whole, and has an
// example; its help fits the smallest terminal in width, in every language, and has
// nothing of another.
func TestHelpOfEveryCommand(t *testing.T) {
	for _, l := range words.Languages() {
		t.Run(string(l), func(t *testing.T) { helpOfEveryCommand(t, l) })
	}
}

func helpOfEveryCommand(t *testing.T, l words.Language) {
	words.Local = l
	t.Cleanup(func() { words.Local = words.English })
	all := commands()
	translate(all[0])
	narrow(t, "welcome", welcome(all[0]))
	for _, c := range all {
		var b bytes.Buffer
		c.SetOut(&b)
		help(c, nil)
		text := b.String()
		ours := c.HasParent() && c.Name() != "help"
		if !ours && c.HasParent() {
			continue
		}
		narrow(t, c.CommandPath(), text)
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if what, _ := pflag.UnquoteUsage(f); l == words.Chinese && what != "" && strings.Trim(what, "abcdefghijklmnopqrstuvwxyz") == "" {
				t.Errorf("%s --%s %s is not translated", c.CommandPath(), f.Name, what)
			}
		})
		if strings.Contains(text, "…") {
			t.Errorf("%s: something is cut off:\n%s", c.CommandPath(), text)
		}
		if strings.Contains(text, "--\n") {
			t.Errorf("%s: a flag is in two lines:\n%s", c.CommandPath(), text)
		}
		lines := strings.Split(c.Long, "\n")
		for i, next := range lines[1:] {
			if next != "" && ansi.StringWidth(lines[i]) > helpWidth {
				t.Errorf("%s: its end has a line of its own: %s", c.CommandPath(), lines[i])
			}
		}
		if strings.Contains(text, "\n   \n") || strings.Contains(text, "\n\n\n") {
			t.Errorf("%s: a heading without a text:\n%s", c.CommandPath(), text)
		}
		if ours && !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("%s has no example", c.CommandPath())
		}
	}
}

// Every file of helpTexts belongs to a command, and names all the values that its
// argument takes.
func TestHelpTexts(t *testing.T) {
	a := &app{config: settings.New()}
	texts := map[string]*cobra.Command{}
	each(a.root([]string{"help"}), func(c *cobra.Command) { texts[c.Long] = c })
	files, err := helpTexts.ReadDir("texts/help")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := helpTexts.ReadFile("texts/help/" + f.Name())
		c := texts[strings.TrimSuffix(string(text), "\n")]
		if err != nil || c == nil {
			t.Errorf("%s belongs to no command, %v", f.Name(), err)
		} else if !strings.Contains(c.Long, strings.Join(c.ValidArgs, ", ")) {
			t.Errorf("%s does not name %s", f.Name(), strings.Join(c.ValidArgs, ", "))
		}
	}
}

func narrow(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if ansi.StringWidth(strings.TrimSuffix(line, "\n")) > helpWidth {
			t.Errorf("%s: too wide: %s", what, line)
		}
	}
}

// Every command has a man page; -man says where to write them.
func TestManPages(t *testing.T) {
	dir := *manDir
	if dir == "" {
		dir = t.TempDir()
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	all := commands()
	translate(all[0])
	released := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // a page does not change with the day
	all[0].DisableAutoGenTag = true
	if err := doc.GenManTree(all[0], &doc.GenManHeader{Title: "MCP-ASKUSER", Section: "1", Manual: "mcp-askuser", Date: &released}, dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		if c.Name() == "help" {
			continue
		}
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Contains(page, []byte(".SH SYNOPSIS")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
