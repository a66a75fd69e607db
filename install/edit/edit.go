// Package edit changes configuration files of other programs: it adds or removes one
// entry and keeps all other bytes, with their comments, order and formatting. It refuses
// to change a file that it cannot read or cannot change in place.
//
// Each format finds a place and splices text; what it writes is decoded once more and
// compared with the file as it was. The package imports question, for the text that it
// shows, and has no configuration of a client.
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

// Format is a file format.
type Format struct {
	// decode returns what a file holds, with objects and lists as encoding/json
	// would have them.
	decode func(data []byte) (any, error)
	// set puts a value at a path, in place of the old one. remove removes the value, and
	// in JSON the objects above that become empty.
	set    func(data []byte, path []string, value any) ([]byte, error)
	remove func(data []byte, path []string) ([]byte, error)
}

// The formats of clients' files that are changed. JSON may have comments and trailing commas.
var (
	JSON = Format{jsonDecode, jsonSet, jsonRemove} //nolint:gochecknoglobals // never written to
	TOML = Format{tomlDecode, tomlSet, tomlRemove} //nolint:gochecknoglobals // never written to
)

// Reasons to leave a file unchanged.
var (
	ErrNoObject = errors.New("this is no JSON object, and was not changed")
	errNotJSON  = errors.New("this is not JSON, and was not changed")
	errNotTOML  = errors.New("this is not TOML, and was not changed")
	errNoList   = errors.New("this is no list, and was not changed")
	errUnsafe   = errors.New("this cannot be changed safely, and was not changed")
	errRest     = errors.New("something else in this would change with it, so it was not changed")
	errNoFile   = errors.New("this is no regular file, and was not read")
	errMeantime = errors.New("this has changed in this moment, and was not written; try again")
)

// Changes reports whether files of the format are changed: not of the zero one.
func (f Format) Changes() bool { return f.set != nil }

// Member is one member of an [Object].
type Member struct {
	Name  string
	Value any // a string, an int, a bool, a list of strings or an Object
}

// Object is a value whose members keep their order.
type Object []Member

// MarshalJSON writes the members in order.
func (o Object) MarshalJSON() ([]byte, error) {
	return plainjson.Object(len(o), func(i int) (string, any) { return o[i].Name, o[i].Value })
}

// text is a value as JSON, on one line.
func text(v any) string {
	data, err := plainjson.Marshal(v)
	if err != nil { // plain data
		panic(err)
	}
	return string(data)
}

// Get returns the value at a path, as encoding/json would decode it. The name of an
// element of a list is its index. The error says why the file cannot be read.
func (f Format) Get(data []byte, path ...string) (value any, found bool, err error) {
	if value, err = f.decode(data); err != nil {
		return nil, false, err
	}
	value, found = at(value, path)
	return value, found, nil
}

// Set returns the file with value at path. An old value is replaced, and missing objects
// above it are created. A file that has the value is returned unchanged.
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
	after, err := f.set(data, path, value)
	if err != nil {
		return nil, err
	}
	set, _, err := f.Get(after, path...)
	if err == nil && !same(set, value) {
		err = errRest
	}
	return f.checked(data, after, path, path, err)
}

// Remove returns the file without the value at path.
func (f Format) Remove(data []byte, path ...string) ([]byte, error) {
	if _, found, err := f.Get(data, path...); err != nil || !found {
		return data, err
	}
	after, err := f.remove(data, path)
	return f.checked(data, after, path, nil, err)
}

// checked returns the file after a change, if that has not failed and the file reads as it
// did, besides the value at a path before the change, and the one at a path now.
func (f Format) checked(was, after []byte, old, set []string, err error) ([]byte, error) {
	before, wasErr := f.decode(was)
	now, nowErr := f.decode(after)
	switch {
	case wasErr != nil || nowErr != nil:
		err = errUnsafe
	case err == nil && meaning(before, old) != meaning(now, set):
		err = errRest
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(old, "."), err)
	}
	return after, nil
}

// Append returns a JSON file with value as the last element of the list at path, which
// is created if it is missing.
func Append(data []byte, value any, path ...string) ([]byte, error) {
	list, found, err := JSON.Get(data, path...)
	if err != nil {
		return nil, err
	}
	if !found {
		return JSON.Set(data, []any{value}, path...)
	}
	elements, ok := list.([]any)
	if !ok {
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), errNoList)
	}
	return JSON.Set(data, value, append(slices.Clip(path), strconv.Itoa(len(elements)))...)
}

// same compares a decoded value with one of ours, which JSON can express.
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

// meaning is what a document holds besides the value at a path, as text, in which NaN
// equals itself. Objects and lists that hold nothing do not count.
func meaning(document any, besides []string) string {
	return fmt.Sprintf("%#v", rest(document, besides))
}

// rest returns a value without the one at a path, and without empty objects and lists. It
// is nil if nothing is left.
func rest(v any, besides []string) any {
	kept := func(name string, inner any) any {
		switch {
		case len(besides) == 0 || besides[0] != name:
			return rest(inner, nil)
		case len(besides) == 1:
			return nil
		}
		return rest(inner, besides[1:])
	}
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, inner := range x {
			inner = kept(name, inner)
			if inner != nil {
				out[name] = inner
			}
		}
		if len(out) > 0 {
			return out
		}
		return nil
	case []any:
		var out []any
		for i, inner := range x {
			inner = kept(strconv.Itoa(i), inner)
			if inner != nil {
				out = append(out, inner)
			}
		}
		if out != nil {
			return out
		}
		return nil
	}
	return v
}
