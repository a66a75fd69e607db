// Command patchdeps prepares the one module that a release builds in a changed
// form: github.com/santhosh-tekuri/jsonschema, which mcp-go imports for a check
// that is off. Its init compiles the meta-schemas of five drafts in every
// program that imports it, 5.5 ms at each start. The change compiles them when
// the first compiler is made (CONTRIBUTING.md, "Changes to offer upstream").
//
//	go run ./internal/patchdeps && go build -modfile=bin/release.mod ./cmd/mcp-askuser
//
// It copies the module from the module cache to bin/jsonschema, replaces the
// lines below, and writes bin/release.mod, which is go.mod with a replace
// directive for that copy. A line that an update of the module has changed is
// an error. A plain go build gives the same program, only slower to start.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const module = "github.com/santhosh-tekuri/jsonschema/v6"

// edits are the replacements. Each old text must occur exactly once in its file.
var edits = [...]struct{ file, old, new string }{
	{"draft.go", "\t\"strings\"\n)", "\t\"strings\"\n\t\"sync\"\n)"},
	{"draft.go", "func init() {\n\tc := NewCompiler()", "var compileDrafts = sync.OnceFunc(func() {\n\tc := newCompiler()"},
	{"draft.go", "\t}\n}\n\nfunc draftFromURL(", "\t}\n})\n\nfunc draftFromURL("},
	{"compiler.go", "func NewCompiler() *Compiler {\n", "func NewCompiler() *Compiler {\n\tcompileDrafts()\n\treturn newCompiler()\n}\n\nfunc newCompiler() *Compiler {\n"},
}

func main() {
	if err := prepare("bin"); err != nil {
		fmt.Fprintln(os.Stderr, "patchdeps:", err)
		os.Exit(1)
	}
}

// prepare writes the changed copy, release.mod and release.sum to dir. The
// working directory must be the root of the main module.
func prepare(dir string) error {
	out, err := run("mod", "download", "-json", module)
	if err != nil {
		return err
	}
	var cached struct{ Dir string }
	if err := json.Unmarshal(out, &cached); err != nil {
		return err
	}
	copied := filepath.Join(dir, "jsonschema")
	if err := os.RemoveAll(copied); err != nil {
		return err
	}
	if err := os.CopyFS(copied, os.DirFS(cached.Dir)); err != nil {
		return err
	}
	for _, e := range edits {
		if err := edit(filepath.Join(copied, e.file), e.old, e.new); err != nil {
			return err
		}
	}
	modfile := filepath.Join(dir, "release.mod")
	for from, to := range map[string]string{"go.mod": modfile, "go.sum": filepath.Join(dir, "release.sum")} {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return err
		}
	}
	target := filepath.ToSlash(copied)
	if !filepath.IsAbs(copied) {
		target = "./" + target
	}
	_, err = run("mod", "edit", "-replace", module+"="+target, modfile)
	return err
}

// edit replaces old by new in a file.
func edit(path, old, new string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), old); n != 1 {
		return fmt.Errorf("%s has changed: %q occurs %d times, want once", path, old, n)
	}
	if err := os.Chmod(path, 0o600); err != nil { // the module cache is read-only
		return err
	}
	return os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o600)
}

// run runs the go command and returns its standard output.
func run(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}
