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

	"mcp-askuser/cmd/mcp-askuser/settings"
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

// What a user reads who runs the program by itself is one screen, with room
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

// Every command says what it is for, and has an example; its help fits the smallest terminal
// in width, and names the global flags in one line.
func TestHelpOfEveryCommand(t *testing.T) {
	all := commands()
	for _, c := range all {
		if c.HasParent() && c.GroupID == "" && c.Parent() == all[0] || c.Name() == "help" {
			continue
		}
		var b bytes.Buffer
		c.SetOut(&b)
		err := c.Help()
		text := b.String()
		narrow(t, c.CommandPath(), text)
		if err != nil || !c.HasParent() {
			continue
		}
		if !strings.Contains(text, "\nGlobal flags, as for every command") || strings.Contains(text, "--accessible") {
			t.Errorf("%s: the global flags:\n%s", c.CommandPath(), text)
		}
		if !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("%s has no example", c.CommandPath())
		}
	}
}

// Every file of helpTexts belongs to a command, and names all the values that its
// argument takes.
func TestHelpTexts(t *testing.T) {
	a := &app{config: settings.New()}
	known := map[string]*cobra.Command{}
	each(a.root([]string{"help"}), func(c *cobra.Command) {
		known[strings.ReplaceAll(strings.TrimPrefix(c.CommandPath(), "mcp-askuser "), " ", "-")+".txt"] = c
	})
	files, err := helpTexts.ReadDir("texts/help")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, f := range files {
		c := known[f.Name()]
		if c == nil || c.Long == "" {
			t.Errorf("%s belongs to no command", f.Name())
			continue
		}
		for _, value := range c.ValidArgs {
			if !strings.Contains(c.Long, value) {
				t.Errorf("%s does not name %s", f.Name(), value)
			}
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
