package main

import (
	"bytes"
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/internal/fatal"
)

//go:generate go test -count=1 -run ^TestManPages$ . -man ../../bin/man

var manDir = flag.String("man", "", "write the man pages into this directory")

// everyCommand is the root of all commands.
func everyCommand() *cobra.Command {
	a := &app{config: settings.Load(func(string) string { return "" })}
	root := a.root([]string{"help"})
	root.InitDefaultHelpCmd()
	return root
}

// The commands have man pages; -man says where to write them.
func TestManPages(t *testing.T) {
	dir := cmp.Or(*manDir, t.TempDir())
	fatal.If(t, os.MkdirAll(dir, 0o755))
	root := everyCommand()
	root.DisableAutoGenTag = true
	released := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // a page does not change with the day
	header := &doc.GenManHeader{Title: "MCP-ASKUSER", Section: "1", Manual: "mcp-askuser", Date: &released}
	fatal.If(t, doc.GenManTree(root, header, dir))
	// A word in angle brackets would be HTML, and left out.
	for name, text := range map[string]string{"desk-init": ".SH SYNOPSIS", "ask": "reads Other (custom: TEXT)."} {
		page, err := os.ReadFile(filepath.Join(dir, "mcp-askuser-"+name+".1"))
		if err != nil || !bytes.Contains(page, []byte(text)) {
			t.Errorf("%s, %v", page, err)
		}
	}
}

// Every command line in a document names a command, and flags that it has.
func TestDocumentCommands(t *testing.T) {
	const top = "../.."
	lines := regexp.MustCompile("(?m)(?:^|`|-- |run \\./cmd/)mcp-askuser ([^`\n]*)")
	flag := regexp.MustCompile(`(?:^| )(--[a-z-]+)`)
	checked := 0
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		paths, _ := filepath.Glob(filepath.Join(top, pattern))
		for _, path := range paths {
			source, err := os.ReadFile(path)
			fatal.If(t, err)
			for _, found := range lines.FindAllStringSubmatch(string(source), -1) {
				root := everyCommand()
				root.InitDefaultCompletionCmd()
				line, _, _ := strings.Cut(found[1], " #")
				line = regexp.MustCompile(`\$\([^)]*\)|[|>].*`).ReplaceAllString(line, "") // of other programs
				words := strings.Fields(line)
				if len(words) == 0 || strings.ToLower(words[0]) != words[0] {
					continue
				}
				checked++
				cmd, _, err := root.Find(words)
				if err != nil || cmd == root && !strings.HasPrefix(words[0], "-") {
					t.Errorf("%s: there is no command %q", path, found[1])
					continue
				}
				cmd.InitDefaultHelpFlag()
				for _, name := range flag.FindAllStringSubmatch(line, -1) {
					if cmd.Flag(name[1][2:]) == nil && cmd.InheritedFlags().Lookup(name[1][2:]) == nil {
						t.Errorf("%s: %q has no flag %s", path, line, name[1])
					}
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d command lines were found in the documents", checked)
	}
}
