package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/leonelquinteros/gotext"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/ui/words"
)

// A text that people read: the one for many where it counts something.
type saying struct{ text, many string }

// Every text that people read has its translation, with the same places for
// what is filled in, and no catalogue has others. With -update the catalogues
// are written anew: new texts come without a translation, to be added there;
// texts that are gone go.
func TestCatalogues(t *testing.T) {
	rooms := messages(t)
	update := flag.Lookup("update").Value.String() == "true"
	for _, l := range words.Languages()[1:] {
		dir := filepath.Join("..", "..", "ui", "words", "locale", string(l))
		old := map[string]*gotext.Translation{} // of all rooms: texts move
		header := ""
		files, err := filepath.Glob(filepath.Join(dir, "*.po"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no catalogues of %s: %v", l, err)
		}
		known := map[string]map[string]*gotext.Translation{}
		for _, file := range files {
			text, err := os.ReadFile(file)
			fatal.If(t, err)
			header, _, _ = strings.Cut(strings.TrimSpace(string(text)), "\n\n") // the same in all
			po := gotext.NewPo()
			po.Parse(text)
			known[strings.TrimSuffix(filepath.Base(file), ".po")] = po.GetDomain().GetTranslations()
			for id, tr := range po.GetDomain().GetTranslations() {
				if was := old[id]; id != "" && was != nil && was.Get() != id && tr.Get() != id && was.Get() != tr.Get() {
					t.Errorf("%s: %q is translated as %q, and elsewhere as %q", file, id, tr.Get(), was.Get())
				}
				if was := old[id]; was == nil || was.Get() == id {
					old[id] = tr
				}
			}
		}
		if update {
			for _, file := range files {
				if rooms[strings.TrimSuffix(filepath.Base(file), ".po")] == nil {
					_ = os.Remove(file)
				}
			}
			for room, texts := range rooms {
				fatal.If(t, os.WriteFile(filepath.Join(dir, room+".po"), catalogue(header, texts, old), 0o644))
			}
			continue
		}
		for _, room := range slices.Sorted(maps.Keys(rooms)) {
			has := known[room]
			for _, m := range rooms[room] {
				tr := has[m.text]
				delete(has, m.text)
				if tr == nil || tr.Trs[0] == "" {
					t.Errorf("%s.po has no translation of %q", filepath.Join(dir, room), m.text)
					continue
				}
				for _, said := range tr.Trs {
					if places(said) != places(cmp.Or(m.many, m.text)) {
						t.Errorf("%s.po: %q and %q are not filled in alike", filepath.Join(dir, room), m.text, said)
					}
				}
			}
			delete(has, "")
			for _, id := range slices.Sorted(maps.Keys(has)) {
				t.Errorf("%s.po translates %q, which nobody says", filepath.Join(dir, room), id)
			}
		}
		if t.Failed() {
			t.Log("go test -run TestCatalogues ./cmd/mcp-askuser -update adds what is missing, to be filled in, and takes " +
				"out what is left over")
		}
	}
}

var verb = regexp.MustCompile(`%(?:\[(\d+)\])?[-+# 0]*\d*(?:\.\d+)?([a-zA-Z%])`)

// places is what a text is filled in with: which argument, and how.
func places(text string) string {
	var found []string
	next := 1
	for _, m := range verb.FindAllStringSubmatch(text, -1) {
		if m[2] == "%" {
			continue
		}
		if n, err := strconv.Atoi(m[1]); err == nil {
			next = n
		}
		found = append(found, fmt.Sprint(next, m[2]))
		next++
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), " ")
}

func catalogue(header string, texts []saying, old map[string]*gotext.Translation) []byte {
	var b bytes.Buffer
	b.WriteString(header + "\n")
	for _, m := range texts {
		fmt.Fprintf(&b, "\nmsgid %s\n", poString(m.text))
		tr := old[m.text]
		if tr == nil {
			tr = gotext.NewTranslation()
		}
		if m.many == "" {
			fmt.Fprintf(&b, "msgstr %s\n", poString(tr.Trs[0]))
			continue
		}
		fmt.Fprintf(&b, "msgid_plural %s\n", poString(m.many))
		forms := 1
		if strings.Contains(header, "nplurals=2") {
			forms = 2
		}
		for i := range forms {
			fmt.Fprintf(&b, "msgstr[%d] %s\n", i, poString(tr.Trs[i]))
		}
	}
	return b.Bytes()
}

// poString is a text as a catalogue has it, a line of it on a line.
func poString(text string) string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) < 2 {
		return strconv.Quote(text)
	}
	var b strings.Builder
	b.WriteString(`""`)
	for _, line := range lines {
		b.WriteString("\n" + `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(line) + `"`)
	}
	return b.String()
}

// messages are the texts that are given to T, N, Mark and their like in the code of each
// room, and those in ui/words/texts.go.
func messages(t *testing.T) map[string][]saying {
	t.Helper()
	rooms := map[string][]saying{}
	add := func(path, text, many string) {
		room := strings.ReplaceAll(filepath.ToSlash(path), "/", "-")
		if text != "" && !slices.ContainsFunc(rooms[room], func(m saying) bool { return m.text == text }) {
			rooms[room] = append(rooms[room], saying{text, many})
		}
	}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		in, _ := filepath.Rel(root, filepath.Dir(path))
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == "testdata" || name == "node_modules" || name == "bin" ||
			strings.HasPrefix(name, ".") && len(name) > 2):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			said, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(said, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if at, counts := says(n); at >= 0 && len(n.Args) > at+counts {
						add(in, literal(n.Args[at]), map[int]string{1: literal(n.Args[at+counts])}[counts])
					}
				case *ast.ValueSpec:
					if name == "texts.go" && len(n.Values) == 1 {
						add(in, literal(n.Values[0]), "")
					}
				}
				return true
			})
		}
		return nil
	})
	fatal.If(t, err)
	if len(rooms["ui-words"]) < 40 || len(rooms["ui-inbox"]) < 40 {
		t.Fatalf("texts are missing: %d, %d", len(rooms["ui-words"]), len(rooms["ui-inbox"]))
	}
	return rooms
}

// says tells which argument of a call is a text for people, -1 for none, and
// whether the next one is the text for many.
func says(call *ast.CallExpr) (at, counts int) {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		if of, ok := f.X.(*ast.SelectorExpr); ok && of.Sel.Name == "English" { // for models
			return -1, 0
		}
		name = f.Sel.Name
	}
	switch name {
	case "T", "Mark":
		return 0, 0
	case "N":
		return 1, 1
	case "AddTranslated", "say", "elements":
		return 1, 0
	}
	return -1, 0
}

// literal is the value of a string that stands in the code, in one or several
// pieces; empty for anything else.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if v := constant.MakeFromLiteral(e.Value, e.Kind, 0); v.Kind() == constant.String {
			return constant.StringVal(v)
		}
	case *ast.BinaryExpr:
		if x, y := literal(e.X), literal(e.Y); x != "" && y != "" {
			return x + y
		}
	}
	return ""
}
