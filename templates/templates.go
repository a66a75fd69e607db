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

	call map[string]any // the arguments, with places for variables
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
	data, err := readFile(dir, name+suffix)
	path := filepath.Join(dir, name+suffix)
	if err != nil {
		return Template{}, err
	}
	t := Template{Name: name, Path: path}
	if !namePattern().MatchString(name) {
		return t, fmt.Errorf("%s: its name may have letters, digits, - and _", path)
	}
	var line int
	if t.call, line, err = tomlfile.Decode(data); err != nil {
		return t, fmt.Errorf("%s:%d: %w", path, line, err)
	}
	var faults []error
	fault := func(at, format string, args ...any) {
		faults = append(faults, fmt.Errorf("%s: %s%s", path, at, fmt.Sprintf(format, args...)))
	}
	t.Description, _ = t.call["description"].(string)
	variables, _ := t.call["variables"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		object, ok := variables[name].(map[string]any)
		if !ok || !namePattern().MatchString(name) {
			fault("", "a variable is a table: [variables.%s]", name)
			continue
		}
		x := Variable{Name: name}
		x.Description, _ = object["description"].(string)
		before, isText := object["default"].(string)
		if isText {
			x.Default = &before
		} else if object["default"] != nil {
			fault("variables."+name+": ", "a default is a text, in quotes")
		}
		t.Variables = append(t.Variables, x)
	}
	delete(t.call, "description")
	delete(t.call, "variables")
	if t.call["questions"] == nil {
		fault("", "it has no question: [[questions]]")
	}
	replaceTexts(t.call, "", func(at, text string) string {
		for _, place := range placePattern().FindAllStringSubmatch(text, -1) {
			if !slices.Contains(t.Names(), place[1]) {
				fault(at+": ", "{{%s}} is no variable of this template; declare it as [variables.%s]", place[1], place[1])
			}
		}
		return text
	})
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
	all := map[string]string{}
	for _, x := range t.Variables {
		value, set := values[x.Name]
		switch {
		case set:
			all[x.Name] = value
		case x.Default != nil:
			all[x.Name] = *x.Default
		default:
			missing := x.Name
			if x.Description != "" {
				missing += " (" + x.Description + ")"
			}
			faults = append(faults, fmt.Errorf("the template %s needs the variable %s", t.Name, missing))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return json.Marshal(replaceTexts(t.call, "", func(_, text string) string {
		return placePattern().ReplaceAllStringFunc(text, func(place string) string {
			return all[placePattern().FindStringSubmatch(place)[1]]
		})
	}))
}

// Names returns the names of its variables.
func (t *Template) Names() (names []string) {
	for _, x := range t.Variables {
		names = append(names, x.Name)
	}
	return names
}

// replaceTexts returns a value with its texts replaced; replace gets the path of each.
func replaceTexts(v any, path string, replace func(path, text string) string) any {
	switch x := v.(type) {
	case string:
		return replace(path, x)
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = replaceTexts(x[i], fmt.Sprintf("%s[%d]", path, i), replace)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for name := range x {
			out[name] = replaceTexts(x[name], strings.TrimPrefix(path+"."+name, "."), replace)
		}
		return out
	}
	return v
}
