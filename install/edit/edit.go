// Package edit changes configuration files that belong to others: it adds, or
// takes out, one entry with the fewest bytes, and keeps all the rest as it
// is, comments, order and odd formatting included. What it cannot read, or
// cannot change in place, it leaves alone and says so.
//
// It imports question, for the text that it shows; it knows no other room of ours and
// no client's configuration.
package edit

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/internal/plainjson"
)

// Format is how a file is written.
type Format struct {
	// decode returns what a file holds, with objects and lists as encoding/json
	// would have them.
	decode func(data []byte) (any, error)
	// set puts a value at a path that has none, or, where that replaces, in the place
	// of the one it has; remove takes the value out, with the objects
	// above that become empty, but for those at the first keep names of the path.
	// Both return the forms in which the file can be written then, the best first: of
	// these the first counts in which all else reads as before.
	set      func(data []byte, path []string, value any) ([][]byte, error)
	remove   func(data []byte, path []string, keep int) ([][]byte, error)
	replaces bool
}

// Formats that files of clients have. JSON may hold comments and trailing commas.
var (
	JSON = Format{jsonDecode, jsonSet, jsonRemove, true}  //nolint:gochecknoglobals // never written to
	TOML = Format{tomlDecode, tomlSet, tomlRemove, false} //nolint:gochecknoglobals // never written to
	YAML = Format{yamlDecode, yamlSet, yamlRemove, false} //nolint:gochecknoglobals // never written to
)

// Why a file is left alone. People read these in their own language: the rooms
// that have the languages know them by their texts.
var (
	ErrNoObject = errors.New("this is no JSON object, and was not changed")
	errNotJSON  = errors.New("this is not JSON, and was not changed")
	errNotTOML  = errors.New("this is not TOML, and was not changed")
	errNotYAML  = errors.New("this is not YAML, and was not changed")
	errMapping  = errors.New("this is no YAML mapping, and was not changed")
	errNoList   = errors.New("this is no list, and was not changed")
	errTwice    = errors.New("this stands there twice, and was not changed")
	errLineEnds = errors.New("this has line ends that we do not know, and was not changed")
	errOneLine  = errors.New("this is not written line by line, and was not changed")
	errUnsafe   = errors.New("this cannot be changed safely, and was not changed")
	errRest     = errors.New("something else in this would change with it, so it was not changed")
	errSeveral  = errors.New("this holds several YAML documents, and was not changed")
	errNoFile   = errors.New("this is no regular file, and was not read")
	errMeantime = errors.New("this has changed in this moment, and was not written; try again")
)

// Member is one member of an [Object].
type Member struct {
	Name  string
	Value any // a string, an int, a bool, a list of strings or an Object
}

// Object is a value whose members keep their order.
type Object []Member

// MarshalJSON writes the members in order.
func (o Object) MarshalJSON() ([]byte, error) {
	return plainjson.Object(func(yield func(string, any) bool) {
		for _, m := range o {
			if !yield(m.Name, m.Value) {
				return
			}
		}
	})
}

// text is a value as JSON, on one line.
func text(v any) string {
	data, err := plainjson.Marshal(v)
	if err != nil { // plain data
		panic(err)
	}
	return string(data)
}

// Get returns the value at a path, as encoding/json would decode it. The
// error says why the file cannot be read.
func (f Format) Get(data []byte, path ...string) (value any, found bool, err error) {
	if value, err = f.decode(data); err != nil {
		return nil, false, err
	}
	value, found = at(value, path)
	return value, found, nil
}

// Set returns the file with value at path. An old value is replaced; what is missing
// above it is made. A file that has the value already is returned as it is, to the
// byte.
func (f Format) Set(data []byte, value any, path ...string) ([]byte, error) {
	old, found, err := f.Get(data, path...)
	if err != nil {
		return nil, err
	}
	if found && same(old, value) {
		return data, nil
	}
	if _, err := plainjson.Marshal(value); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", strings.Join(path, "."), errUnsafe, err)
	}
	was := data
	if found && !f.replaces {
		if data, err = f.take(data, data, path); err != nil { // what holds it stays in its place
			return nil, err
		}
	}
	return f.put(was, data, path, value)
}

// put writes value at path, which has none or one that can be replaced. Compared with
// the file as it was, nothing else may have changed.
func (f Format) put(was, data []byte, path []string, value any) ([]byte, error) {
	forms, err := f.set(data, path, value)
	if err != nil {
		return nil, err
	}
	return f.first(was, forms, path, func(now any) bool {
		set, found := at(now, path)
		return found && same(set, value)
	})
}

// first returns the first of the forms of a file in which all that it held besides the
// value at path reads as before: what we write is read once more before it is used. Set
// checks the value that was set; it is nil where the value was removed.
func (f Format) first(was []byte, forms [][]byte, path []string, set func(now any) bool) ([]byte, error) {
	why := errUnsafe
	for _, form := range forms {
		before, wrong := f.decode(was)
		now, err := f.decode(form)
		if wrong != nil || err != nil {
			continue
		}
		if (set == nil || set(now)) && equal(before, now, path, set != nil) {
			return form, nil
		}
		why = errRest
	}
	return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), why)
}

// Append returns a JSON file with value behind the last of the list at path,
// which is made where it is missing.
func Append(data []byte, value any, path ...string) ([]byte, error) {
	list, found, err := JSON.Get(data, path...)
	if err != nil {
		return nil, err
	}
	if !found {
		return JSON.put(data, data, path, []any{value})
	}
	elements, ok := list.([]any)
	if !ok {
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), errNoList)
	}
	return JSON.put(data, data, append(slices.Clip(path), strconv.Itoa(len(elements))), value)
}

// Remove returns the file without the value at path, and without the objects
// above it that become empty by that, but for those that are in before: the file as
// it was before it held anything of ours, nil where there was none.
func (f Format) Remove(data, before []byte, path ...string) ([]byte, error) {
	if _, found, err := f.Get(data, path...); err != nil || !found {
		return data, err
	}
	return f.take(data, before, path)
}

// RemoveAt returns a JSON file without one element of the list at path. Before is as
// for [Format.Remove].
func RemoveAt(data, before []byte, at int, path ...string) ([]byte, error) {
	return JSON.take(data, before, append(slices.Clip(path), strconv.Itoa(at)))
}

// take removes the value at path.
func (f Format) take(data, before []byte, path []string) ([]byte, error) {
	keep := 0
	if before != nil {
		for keep < len(path)-1 {
			if _, found, err := f.Get(before, path[:keep+1]...); err != nil || !found {
				break
			}
			keep++
		}
	}
	forms, err := f.remove(data, path, keep)
	if err != nil {
		return nil, err
	}
	return f.first(data, forms, path, nil)
}

// same compares what was read with a value of ours. What JSON cannot say is none
// of ours.
func same(read, value any) bool {
	data, err := json.Marshal(read)
	if err != nil {
		return false
	}
	var have, want any
	return json.Unmarshal(data, &have) == nil && json.Unmarshal([]byte(text(value)), &want) == nil && reflect.DeepEqual(have, want)
}

// at returns the value at a path through objects and lists.
func at(v any, path []string) (value any, found bool) {
	if len(path) == 0 {
		return v, true
	}
	switch x := v.(type) {
	case map[string]any:
		if inner, found := x[path[0]]; found {
			return at(inner, path[1:])
		}
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(x) {
			return at(x[i], path[1:])
		}
	}
	return nil, false
}

// equal reports whether two documents, which it changes, hold the same besides the
// value at path: in the first, and in the second if that has it too. A holder above it
// that holds nothing else may be missing, or null, as YAML writes it. Formatted, a
// number that is none equals itself.
func equal(before, now any, path []string, both bool) bool {
	before, empty := besides(before, path, true)
	now, nothing := besides(now, path, both)
	return empty && nothing || reflect.DeepEqual(before, now) || fmt.Sprintf("%#v", before) == fmt.Sprintf("%#v", now)
}

// besides returns a document without the value at path, if that is to be dropped, and
// without the holders above that are empty then.
func besides(v any, path []string, drop bool) (rest any, empty bool) {
	if len(path) == 0 {
		return v, drop
	}
	switch x := v.(type) {
	case map[string]any:
		if inner, found := x[path[0]]; found {
			if x[path[0]], empty = besides(inner, path[1:], drop); empty {
				delete(x, path[0])
			}
		}
		return x, len(x) == 0
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(x) {
			if x[i], empty = besides(x[i], path[1:], drop); empty {
				x = slices.Delete(x, i, i+1)
			}
		}
		return x, len(x) == 0
	}
	return v, v == nil
}
