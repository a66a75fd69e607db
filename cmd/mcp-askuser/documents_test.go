//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"mcp-askuser/cmd/mcp-askuser/settings"
	"mcp-askuser/install"
	"mcp-askuser/question"
	"mcp-askuser/tools/askuser/wire"
)

// top is the directory that the documents are in, from this one.
const top = "../.."

// document is one that people read.
type document struct {
	path   string // from the top
	source []byte
	root   ast.Node
}

func documents(t *testing.T) []document {
	t.Helper()
	var all []document
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		paths, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range paths {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			path, _ = filepath.Rel(top, path)
			all = append(all, document{path, source, markdown.Parser().Parse(text.NewReader(source))})
		}
	}
	return all
}

// nodes calls do with every node.
func (d *document) nodes(do func(ast.Node)) {
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			do(n)
		}
		return ast.WalkContinue, nil
	})
}

// blocks returns the fenced blocks of a language.
func (d *document) blocks(language string) []string {
	var all []string
	d.nodes(func(n ast.Node) {
		if block, ok := n.(*ast.FencedCodeBlock); ok && string(block.Language(d.source)) == language {
			all = append(all, string(block.Lines().Value(d.source)))
		}
	})
	return all
}

// Links between documents lead to a file, and to a heading in it.
func TestDocumentLinks(t *testing.T) {
	all := documents(t)
	headings := map[string]bool{} // path#id
	for _, d := range all {
		d.nodes(func(n ast.Node) {
			if h, ok := n.(*ast.Heading); ok {
				id, _ := h.AttributeString("id")
				headings[d.path+"#"+string(id.([]byte))] = true
			}
		})
	}
	for _, d := range all {
		d.nodes(func(n ast.Node) {
			var to []byte
			switch n := n.(type) {
			case *ast.Link:
				to = n.Destination
			case *ast.Image:
				to = n.Destination
			case *ast.HTMLBlock:
				if m := regexp.MustCompile(`src="([^"]+)"`).FindSubmatch(n.Lines().Value(d.source)); m != nil {
					to = m[1]
				}
			}
			if to == nil {
				return
			}
			u, err := url.Parse(string(to))
			if err != nil {
				t.Errorf("%s: %v", d.path, err)
				return
			}
			if u.IsAbs() {
				return
			}
			path := d.path
			if u.Path != "" {
				path = filepath.Join(filepath.Dir(d.path), u.Path)
			}
			if _, err := os.Stat(filepath.Join(top, path)); err != nil {
				t.Errorf("%s links to %s: %v", d.path, to, err)
			} else if u.Fragment != "" && !headings[path+"#"+u.Fragment] {
				t.Errorf("%s links to %s, which has no such heading", d.path, to)
			}
		})
	}
}

// A screen in a document is one that the form or the inbox draws, or its upper part.
func TestDocumentScreens(t *testing.T) {
	drawn := map[string]bool{}
	for _, pattern := range []string{"ui/form/testdata/*-80x24.txt", "ui/inbox/testdata/*-80x24.txt"} {
		paths, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, path := range paths {
			screen, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(screen)) {
				drawn[line] = true
			}
		}
	}
	screens := 0
	for _, d := range documents(t) {
		for _, block := range d.blocks("") {
			if !strings.HasPrefix(block, "╭") {
				continue
			}
			screens++
			for line := range strings.Lines(block) {
				if !drawn[line] {
					t.Errorf("%s: no screen has the line %s", d.path, line)
				}
			}
		}
	}
	if screens == 0 {
		t.Error("no screen was found in the documents")
	}
}

// Every command in a document is one that there is, with flags and arguments as
// it takes them. What changes nothing is run; what asks is run where nobody can
// be reached, which takes all but the answer.
func TestDocumentCommands(t *testing.T) {
	read := reader{t: t, home: t.TempDir(), targets: makeTargets(t)}
	templates := filepath.Join(read.home, ".config", "mcp-askuser", "templates")
	if err := os.CopyFS(templates, os.DirFS(filepath.Join(top, "examples", "templates"))); err != nil {
		t.Fatal(err)
	}
	for _, d := range documents(t) {
		for _, block := range d.blocks("sh") {
			for _, words := range read.commands(d.path, block) {
				read.command(d.path, words, true)
			}
		}
		d.nodes(func(n ast.Node) {
			span, ok := n.(*ast.CodeSpan)
			if !ok {
				return
			}
			line := ""
			for c := span.FirstChild(); c != nil; c = c.NextSibling() {
				if part, ok := c.(*ast.Text); ok {
					line += strings.ReplaceAll(string(part.Value(d.source)), "\n", " ")
				}
			}
			if strings.HasPrefix(line, "mcp-askuser ") || strings.HasPrefix(line, "make ") {
				for _, words := range read.commands(d.path, line) {
					read.command(d.path, words, false)
				}
			}
		})
	}
	if read.checked < 50 || read.ran < 10 {
		t.Errorf("%d commands were found in the documents, and %d run: the test does not see them", read.checked, read.ran)
	}
}

type reader struct {
	t            *testing.T
	home         string
	targets      []string // of the Makefile
	checked, ran int
}

// commands returns the words of every command in a shell script, also of those
// within others. What only a shell could know is the word VALUE.
func (r *reader) commands(path, script string) [][]string {
	file, err := syntax.NewParser().Parse(strings.NewReader(script), path)
	if err != nil {
		r.t.Errorf("%v in\n%s", err, script)
		return nil
	}
	config := &expand.Config{
		Env:      expand.FuncEnviron(func(string) string { return "VALUE" }),
		CmdSubst: func(w io.Writer, _ *syntax.CmdSubst) error { _, err := io.WriteString(w, "VALUE"); return err },
	}
	var all [][]string
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok {
			words, err := expand.Fields(config, call.Args...)
			if err != nil {
				r.t.Errorf("%s: %v", path, err)
			}
			if len(words) > 0 {
				all = append(all, words)
			}
		}
		return true
	})
	return all
}

// command checks a command as far as it is one of ours; whole tells that nothing
// is left out of it.
func (r *reader) command(path string, words []string, whole bool) {
	switch words[0] {
	case "mcp-askuser", alias:
		r.ours(path, words, whole)
	case "make":
		for _, word := range words[1:] {
			if !strings.Contains(word, "=") && !slices.Contains(r.targets, word) {
				r.t.Errorf("%s: the Makefile has no %s", path, word)
			}
		}
	case "./check":
		if _, err := os.Stat(filepath.Join(top, words[0])); err != nil {
			r.t.Errorf("%s: %v", path, err)
		}
	default: // something that starts us
		for i, word := range words[1:] {
			if word == "mcp-askuser" && words[i] == "--" || word == "./cmd/mcp-askuser" && words[i] == "run" {
				r.ours(path, append([]string{"mcp-askuser"}, words[i+2:]...), whole)
			}
		}
	}
}

func (r *reader) ours(path string, words []string, whole bool) {
	r.checked++
	wrong := func(err error) {
		if err != nil {
			r.t.Errorf("%s: %s: %v", path, strings.Join(words, " "), err)
		}
	}
	a := &app{config: settings.Load(func(string) string { return "" })}
	root, args := a.root([]string{"help"}), words[1:]
	if words[0] == alias {
		args = append([]string{"ask"}, args...)
	}
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	cmd, rest, err := root.Find(args)
	if err != nil || cmd == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		wrong(errors.Join(err, errors.New("there is no such command")))
		return
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); whole || !strings.HasPrefix(fmt.Sprint(err), "flag needs an argument") {
		wrong(err)
	}
	wrong(a.config.Err())
	if !whole || strings.Contains(strings.Join(words, " "), "…") {
		return
	}
	given := cmd.Flags().Args()
	wrong(arguments(cmd, given))
	switch name := cmd.Name(); {
	case name == "answer" && cmd.Flags().Changed("json"):
		if value := cmd.Flag("json").Value.String(); value != "-" && !json.Valid([]byte(value)) {
			wrong(errors.New("that is no JSON"))
		}
	case name == "install" || name == "uninstall":
		for _, client := range given {
			if !slices.Contains(cmd.ValidArgs, client) {
				wrong(errors.New("no such client: " + client))
			}
		}
	}
	if status, harmless := outcome(cmd, given); harmless {
		wrong(r.run(words, status))
	}
}

// outcome returns with which exit statuses a command ends that nobody answers;
// harmless is false where it should not be run.
func outcome(cmd *cobra.Command, args []string) (statuses []int, harmless bool) {
	has := func(flag string) bool { return cmd.Flags().Changed(flag) }
	switch cmd.Name() {
	case "pending", "history", "schema", "config", "templates", "version", "skill", "bash", "zsh", "fish", "status":
		return []int{0}, !has("output") && !has("dir") && !has("desk") && cmd.Name() != "status"
	case "doctor":
		return []int{0, exitBad}, true
	case "install", "uninstall":
		return []int{0}, has("dry-run") && len(args) > 0
	case "ask":
		if has("no-wait") {
			return []int{exitPending}, true
		}
		return []int{exitNoSurface}, !has("surface") && (has("template") || len(args) > 0 && args[0] != "-")
	case "confirm":
		return []int{exitNoSurface}, !has("surface")
	}
	return nil, false
}

// run runs a command as a user with nothing but our own templates.
func (r *reader) run(words []string, statuses []int) error {
	r.ran++
	cmd := program(r.t, filepath.Join(r.home, "desk"), words[1:]...)
	if words[0] == alias {
		path, err := exec.LookPath(alias)
		if err != nil {
			return err
		}
		cmd.Path, cmd.Args[0] = path, path
	}
	cmd.Dir = r.home
	cmd.Env = append(slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, settings.EnvFile+"=") }),
		"HOME="+r.home, "XDG_CONFIG_HOME=", "CODEX_HOME=", "CLAUDE_CONFIG_DIR=", "CI=1")
	var faults bytes.Buffer
	cmd.Stderr = &faults
	err := cmd.Run()
	if cmd.ProcessState == nil || !slices.Contains(statuses, cmd.ProcessState.ExitCode()) {
		return errors.Join(err, errors.New(faults.String()))
	}
	return nil
}

func makeTargets(t *testing.T) []string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(top, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9-]+):(?:[^=]|$)`).FindAllSubmatch(source, -1) {
		all = append(all, string(m[1]))
	}
	return all
}

// What a document puts into the configuration file is taken.
func TestDocumentSettings(t *testing.T) {
	n := 0
	for _, d := range documents(t) {
		for _, block := range d.blocks("toml") {
			n++
			file := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(file, []byte(block), 0o600); err != nil {
				t.Fatal(err)
			}
			s := settings.Load(func(name string) string { return map[string]string{settings.EnvFile: file}[name] })
			if err := s.Err(); err != nil {
				t.Errorf("%s: %v in\n%s", d.path, err, block)
			}
		}
	}
	if n == 0 {
		t.Error("no settings were found in the documents")
	}
}

// JSON in a document is JSON, and a call that it shows is one that is taken.
func TestDocumentJSON(t *testing.T) {
	for _, d := range documents(t) {
		for _, block := range d.blocks("json") {
			if !json.Valid([]byte(block)) {
				t.Errorf("%s: no JSON:\n%s", d.path, block)
			} else if strings.Contains(block, `"questions"`) {
				if _, err := wire.DecodeAsk([]byte(block), question.DefaultLimits()); err != nil {
					t.Errorf("%s: %v in\n%s", d.path, err, block)
				}
			}
		}
	}
}

// Each command, each client and each setting has a row in its table, and no other setting has one.
func TestDocumentsNameEverything(t *testing.T) {
	names := map[string]map[string]bool{} // by document, what stands in the first column of a table
	for _, d := range documents(t) {
		names[d.path] = map[string]bool{}
		for _, m := range regexp.MustCompile("(?m)^\\|((?: [A-Z][A-Za-z ]* \\|)?[^|]*`[^|]*)\\|").FindAllSubmatch(d.source, -1) {
			for _, code := range regexp.MustCompile("`(?:mcp-askuser )?([a-z_-]+)[^`]*`").FindAllSubmatch(m[1], -1) {
				names[d.path][string(code[1])] = true
			}
		}
	}
	const commandTable, clientTable = "docs/scripting.md", "docs/clients.md"
	for _, c := range commands() {
		if c.HasParent() && !c.Parent().HasParent() && c.Name() != "help" && !names[commandTable][c.Name()] {
			t.Errorf("%s has no command %s", commandTable, c.Name())
		}
	}
	for _, client := range install.Names() {
		if !names[clientTable][client] {
			t.Errorf("%s has no client %s", clientTable, client)
		}
	}
	const table = "docs/configuration.md"
	known := map[string]bool{}
	for _, row := range settings.Load(func(string) string { return "" }).Rows {
		known[row.Key] = true
		if !names[table][row.Key] {
			t.Errorf("%s has no setting %s", table, row.Key)
		}
	}
	for name := range names[table] {
		if !known[name] {
			t.Errorf("%s has the setting %s, which there is not", table, name)
		}
	}
}
