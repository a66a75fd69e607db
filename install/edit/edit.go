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
	// set puts a value at a path without one, or in place of the old one if the format
	// replaces. remove removes the value, and the objects above that become empty, but
	// not those at the first protected names of the path. The new file counts if everything
	// else in it reads as before.
	set      func(data []byte, path []string, value any) ([]byte, error)
	remove   func(data []byte, path []string, protected int) ([]byte, error)
	replaces bool
}

// The formats of clients' files that are changed. JSON may have comments and trailing commas.
var (
	JSON = Format{jsonDecode, jsonSet, jsonRemove, true}  //nolint:gochecknoglobals // never written to
	TOML = Format{tomlDecode, tomlSet, tomlRemove, false} //nolint:gochecknoglobals // never written to
)

// Reasons to leave a file unchanged.
var (
	ErrNoObject = errors.New("this is no JSON object, and was not changed")
	errNotJSON  = errors.New("this is not JSON, and was not changed")
	errNotTOML  = errors.New("this is not TOML, and was not changed")
	errNoList   = errors.New("this is no list, and was not changed")
	errTwice    = errors.New("this stands there twice, and was not changed")
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
	was := data
	if found && !f.replaces {
		if data, err = f.take(data, data, path); err != nil { // the object above keeps its place
			return nil, err
		}
	}
	after, err := f.set(data, path, value)
	if err != nil {
		return nil, err
	}
	return f.checked(was, after, path, func(now any) bool {
		set, found := at(now, path)
		return found && same(set, value)
	})
}

// checked returns the file after a change, if everything besides the value at path reads as it
// did before. Set checks the value that was set; it is nil if the value was removed.
func (f Format) checked(was, after []byte, path []string, set func(now any) bool) ([]byte, error) {
	before, wasErr := f.decode(was)
	now, err := f.decode(after)
	switch {
	case wasErr != nil || err != nil:
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), errUnsafe)
	case set != nil && !set(now) || !equal(before, now, path, set != nil):
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), errRest)
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

// Remove returns the file without the value at path, and without the objects above it
// that become empty, but for those in before: the file before our first change, nil if
// it did not exist.
func (f Format) Remove(data, before []byte, path ...string) ([]byte, error) {
	if _, found, err := f.Get(data, path...); err != nil || !found {
		return data, err
	}
	return f.take(data, before, path)
}

// take removes the value at path.
func (f Format) take(data, before []byte, path []string) ([]byte, error) {
	protected := 0
	if before != nil {
		for protected < len(path)-1 {
			if _, found, err := f.Get(before, path[:protected+1]...); err != nil || !found {
				break
			}
			protected++
		}
	}
	after, err := f.remove(data, path, protected)
	if err != nil {
		return nil, err
	}
	return f.checked(data, after, path, nil)
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

// equal reports whether two documents are the same besides the value at path, in the
// first or in both. An object above that has nothing else may be missing. The documents are changed. As text, NaN equals itself.
func equal(before, now any, path []string, both bool) bool {
	before, empty := besides(before, path, true)
	now, nothing := besides(now, path, both)
	return empty && nothing || reflect.DeepEqual(before, now) || fmt.Sprintf("%#v", before) == fmt.Sprintf("%#v", now)
}

// besides returns a document without the value at path, if drop is set, and without the
// objects and lists above that are empty then.
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
	return v, false
}
