package install

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"mcp-askuser/internal/plainjson"
)

// format is a format of clients' files, as functions on a file without a byte order mark
// and with line feeds only. A path leads through objects to a value.
type format struct {
	decode func(data []byte) (map[string]any, error)
	set    func(data []byte, value any, path []string) ([]byte, error)
	remove func(data []byte, path []string) ([]byte, error) // and the objects that are empty then
}

// yaml is the format of files that are not changed: their users get the lines to paste.
var yaml *format //nolint:gochecknoglobals // never written to

// errUnsafe means that a file is left as it is: its user can add the lines of [Client.Lines].
var errUnsafe = errors.New("this cannot be changed safely, and was not changed")

// get returns the value at a path, nil if there is none.
func (f *format) get(data []byte, path ...string) (any, error) {
	text, _ := plain(data)
	document, err := f.decode(text)
	if err != nil {
		return nil, err
	}
	var value any = document
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value, nil
}

// edit changes a file by a function, and checks that everything besides a path has the
// value that it had. A change without meaning is none.
func (f *format) edit(data []byte, path []string, change func([]byte) ([]byte, error)) ([]byte, error) {
	text, restore := plain(data)
	before, err := f.decode(text)
	if err != nil {
		return nil, err
	}
	after, err := change(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), err)
	}
	now, err := f.decode(after)
	switch {
	case err == nil && same(before, now):
		return data, nil
	case err != nil || !same(rest(before, path), rest(now, path)):
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), errUnsafe)
	}
	return restore(after), nil
}

// put gives a path of a file a value, nil for none. It refuses a file that has another value there
// then: one that has the path twice, or in a form that is not changed.
func (f *format) put(data []byte, value any, path ...string) ([]byte, error) {
	now, err := f.get(data, path...)
	if err != nil || now == nil && value == nil {
		return data, err
	}
	after, err := f.edit(data, path, func(text []byte) ([]byte, error) {
		if value == nil {
			return f.remove(text, path)
		}
		return f.set(text, value, path)
	})
	if err != nil {
		return nil, err
	}
	now, err = f.get(after, path...)
	if err == nil && !same(now, value) {
		err = fmt.Errorf("%s: %w", strings.Join(path, "."), errUnsafe)
	}
	return after, err
}

// plain returns a file without a byte order mark and, unless it has both kinds of line ends, with
// line feeds only, and the function that gives both back to it.
func plain(data []byte) (text []byte, restore func([]byte) []byte) {
	const bom = "\ufeff"
	text, marked := bytes.CutPrefix(data, []byte(bom))
	count := bytes.Count(text, []byte("\r\n"))
	returns := count > 0 && count == bytes.Count(text, []byte("\n"))
	if returns {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	return text, func(after []byte) []byte {
		if returns {
			after = bytes.ReplaceAll(after, []byte("\n"), []byte("\r\n"))
		}
		if marked {
			after = append([]byte(bom), after...)
		}
		return after
	}
}

// same compares two values as JSON, which has one kind of number. A value that JSON does
// not have equals none.
func same(a, b any) bool {
	x, err := plainjson.Marshal(a)
	y, wrong := plainjson.Marshal(b)
	return err == nil && wrong == nil && bytes.Equal(x, y)
}

// rest takes the value at a path out of a document, with the objects that are empty then.
func rest(document map[string]any, path []string) map[string]any {
	if len(path) == 0 {
		return document
	}
	inner, ok := document[path[0]].(map[string]any)
	if ok && len(path) > 1 {
		inner = rest(inner, path[1:])
	}
	if len(path) == 1 || ok && len(inner) == 0 {
		delete(document, path[0])
	}
	return document
}
