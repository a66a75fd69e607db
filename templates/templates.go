// Package templates reads question sets that people keep in files, with variables.
// It turns one into the arguments of a call, and does not know what a call may hold.
package templates

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcp-askuser/internal/smallfile"
	"mcp-askuser/internal/tomlfile"
)

// Folder is where templates are below a project, beside those of the user.
const Folder = ".mcp-askuser/templates"

const suffix = ".toml"

// Template is a set of questions in a file.
type Template struct {
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Variables   []Variable `json:"variables,omitempty"`
	Path        string     `json:"path"`

	call []byte // the arguments as JSON, with places for variables in its texts
}

// Variable is a text that the caller sets.
type Variable struct {
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Default     *string `json:"default,omitempty"` // nil: the caller must set it
}

// ErrNone means that no template has the name.
var ErrNone = errors.New("no such template")

var (
	namePattern  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`) })
	placePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{ *([^{} ]*) *\}\}`) })
)

// Dirs returns where templates are looked for: below the project that a
// directory is in, up to where its repository begins, then in the user's own.
// Either may be empty.
func Dirs(directory, user string) []string {
	var out []string
	for dir := directory; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, Folder)); err == nil && info.IsDir() {
			out = append(out, filepath.Join(dir, Folder))
			break
		}
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			break
		}
	}
	if user != "" {
		out = append(out, user)
	}
	return out
}

// List returns the templates of directories, sorted by name; of two with one name
// that of the first directory. The error names every file that is no template; the
// templates are returned beside it.
func List(dirs ...string) ([]Template, error) {
	var out []Template
	var faults []error
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, err)
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), suffix)
			if !ok || slices.ContainsFunc(out, func(t Template) bool { return t.Name == name }) {
				continue
			}
			t, err := read(dir, name)
			if err != nil {
				faults = append(faults, err)
				continue
			}
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b Template) int { return strings.Compare(a.Name, b.Name) })
	return out, errors.Join(faults...)
}

// Load returns the template of this name in the first directory that has it. The
// error is ErrNone, or names the file.
func Load(name string, dirs ...string) (Template, error) {
	if namePattern().MatchString(name) {
		for _, dir := range dirs {
			t, err := read(dir, name)
			if !errors.Is(err, fs.ErrNotExist) {
				return t, err
			}
		}
	}
	return Template{}, fmt.Errorf("%w: %q", ErrNone, name)
}

// readFile reads a file in a directory. A project contains links to anywhere: they are
// followed within the project. The user's own are followed.
func readFile(dir, name string) ([]byte, error) {
	const slash = string(filepath.Separator)
	if project, ok := strings.CutSuffix(dir, slash+filepath.FromSlash(Folder)); ok {
		return smallfile.ReadIn(project+slash, filepath.FromSlash(Folder+"/"+name))
	}
	return smallfile.Read(filepath.Join(dir, name))
}

func read(dir, name string) (Template, error) {
	t := Template{Name: name, Path: filepath.Join(dir, name+suffix)}
	data, err := readFile(dir, name+suffix)
	if err != nil {
		return t, err
	}
	if !namePattern().MatchString(name) {
		return t, fmt.Errorf("%s: its name may have letters, digits, - and _", t.Path)
	}
	values, line, err := tomlfile.Decode(data)
	if err != nil {
		return t, fmt.Errorf("%s:%d: %w", t.Path, line, err)
	}
	var about struct {
		Description string
		Variables   map[string]Variable
	}
	text, err := json.Marshal(values)
	if err == nil {
		err = json.Unmarshal(text, &about)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %w", t.Path, err)
	}
	t.Description = about.Description
	for _, name := range slices.Sorted(maps.Keys(about.Variables)) {
		x := about.Variables[name]
		x.Name = name
		t.Variables = append(t.Variables, x)
	}
	delete(values, "description")
	delete(values, "variables")
	t.call, err = json.Marshal(values)
	faults := []error{err}
	if values["questions"] == nil {
		faults = append(faults, fmt.Errorf("%s: it has no question: [[questions]]", t.Path))
	}
	for _, place := range placePattern().FindAllSubmatch(t.call, -1) {
		if !slices.Contains(t.Names(), string(place[1])) {
			faults = append(faults, fmt.Errorf("%s: {{%s}} is no variable of this template; declare it as "+
				"[variables.%[2]s]", t.Path, place[1]))
		}
	}
	return t, errors.Join(faults...)
}

// Call returns the arguments of the call, as JSON, with the variables in their
// places. The error names every variable that is missing, or not known.
func (t *Template) Call(values map[string]string) ([]byte, error) {
	var faults []error
	for name := range values {
		if !slices.Contains(t.Names(), name) {
			faults = append(faults, fmt.Errorf("the template %s has no variable %q; it has %s", t.Name, name,
				cmp.Or(strings.Join(t.Names(), ", "), "none")))
		}
	}
	all := map[string][]byte{}
	for _, x := range t.Variables {
		value, set := values[x.Name]
		if !set && x.Default == nil {
			faults = append(faults, fmt.Errorf("the template %s needs the variable %s: %s", t.Name, x.Name,
				x.Description))
		} else if !set {
			value = *x.Default
		}
		text, _ := json.Marshal(value) // a text has no reason to fail
		all[x.Name] = text[1 : len(text)-1]
	}
	return placePattern().ReplaceAllFunc(t.call, func(place []byte) []byte {
		return all[string(placePattern().FindSubmatch(place)[1])]
	}), errors.Join(faults...)
}

// Names returns the names of its variables.
func (t *Template) Names() (names []string) {
	for _, x := range t.Variables {
		names = append(names, x.Name)
	}
	return names
}
