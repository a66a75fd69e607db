package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"mcp-askuser/cmd/mcp-askuser/settings"
)

//go:generate go test -count=1 -run ^TestManPages$ . -man ../../bin/man

var manDir = flag.String("man", "", "write the man pages into this directory")

// commands are all commands that people see, the root first.
func commands() []*cobra.Command {
	a := &app{config: settings.Load(func(string) string { return "" })}
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
	if err := doc.GenManTree(all[0], &doc.GenManHeader{Title: "MCP-ASKUSER", Section: "1", Manual: "mcp-askuser",
		Date: &released}, dir); err != nil {
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
