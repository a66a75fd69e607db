// Package edit changes configuration files that belong to others: it adds, or
// takes out, one entry with the fewest bytes, and keeps all the rest as it
// stands, comments, order and odd formatting included. What it cannot read, or
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
	// set puts a value at a path where nothing stands, or, where that replaces, in
	// the place of what does; remove takes out what stands there, with the objects
	// above that become empty.
	set      func(data []byte, path []string, value any) ([]byte, error)
	remove   func(data []byte, path []string) ([]byte, error)
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

// Get returns what stands at a path, as encoding/json would decode it. The
// error says why the file cannot be read.
func (f Format) Get(data []byte, path ...string) (value any, found bool, err error) {
	if value, err = f.decode(data); err != nil {
		return nil, false, err
	}
	for _, name := range path {
		object, _ := value.(map[string]any)
		if value, found = object[name]; !found {
			return nil, false, nil
		}
	}
	return value, true, nil
}

// Set returns the file with value at path. What stood there is replaced; what is
// missing above it is made. A file in which it stands already comes back as it
// is, to the byte.
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
	if found && !f.replaces {
		if data, err = f.Remove(data, path...); err != nil {
			return nil, err
		}
	}
	out, err := f.set(data, path, value)
	if err != nil {
		return nil, err
	}
	// What we write is read once more before anybody relies on it.
	if now, found, err := f.Get(out, path...); err != nil || !found || !same(now, value) {
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), errUnsafe)
	}
	return out, nil
}

// Append returns a JSON file with value behind the last of the list at path,
// which is made where it is missing.
func Append(data []byte, value any, path ...string) ([]byte, error) {
	list, found, err := JSON.Get(data, path...)
	if err != nil {
		return nil, err
	}
	if !found {
		return JSON.set(data, path, []any{value})
	}
	elements, ok := list.([]any)
	if !ok {
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), errNoList)
	}
	return JSON.set(data, append(slices.Clip(path), strconv.Itoa(len(elements))), value)
}

// Remove returns the file without what stands at path, and without the objects
// above it that become empty by that.
func (f Format) Remove(data []byte, path ...string) ([]byte, error) {
	if _, found, err := f.Get(data, path...); err != nil || !found {
		return data, err
	}
	out, err := f.remove(data, path)
	if err != nil {
		return nil, err
	}
	if _, found, err := f.Get(out, path...); err != nil || found {
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), errUnsafe)
	}
	return out, nil
}

// RemoveAt returns a JSON file without one element of the list at path.
func RemoveAt(data []byte, at int, path ...string) ([]byte, error) {
	return JSON.remove(data, append(slices.Clip(path), strconv.Itoa(at)))
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
