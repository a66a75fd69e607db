package edit

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// member returns a member of an object by its name, or an element of a list by its
// place.
func member(v any, name string) (any, bool) {
	switch x := v.(type) {
	case map[string]any:
		value, found := x[name]
		return value, found
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(x) {
			return x[i], true
		}
	}
	return nil, false
}

// with returns a document with value at path; what is missing above it is made. The
// document itself stays as it is.
func with(v any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	inner, found := member(v, path[0])
	inner = with(inner, path[1:], value)
	if list, ok := v.([]any); ok {
		if list = slices.Clone(list); found {
			i, _ := strconv.Atoi(path[0])
			list[i] = inner
			return list
		}
		return append(list, inner)
	}
	object, _ := v.(map[string]any)
	if object = maps.Clone(object); object == nil {
		object = map[string]any{}
	}
	object[path[0]] = inner
	return object
}

// without returns a document without the value at path, and whether its holder is
// empty then.
func without(v any, path []string) (rest any, empty bool) {
	above := path[:len(path)-1]
	holder := v
	for _, name := range above {
		holder, _ = member(holder, name)
	}
	name := path[len(above)]
	switch x := holder.(type) {
	case map[string]any:
		x = maps.Clone(x)
		delete(x, name)
		holder, empty = x, len(x) == 0
	case []any:
		i, _ := strconv.Atoi(name)
		x = slices.Delete(slices.Clone(x), i, i+1)
		holder, empty = x, len(x) == 0
	}
	return with(v, above, holder), empty
}

// removed reports whether now is the document before without the value at path, and
// perhaps without the holders above it that have become empty. One of these may also be
// null, as YAML writes it.
func removed(before, now any, path []string) bool {
	for n := len(path); n > 0; n-- {
		rest, empty := without(before, path[:n])
		if equal(rest, now) || empty && equal(with(rest, path[:n-1], nil), now) {
			return true
		}
		if !empty {
			return false
		}
	}
	return false
}

// equal compares what was read from two files. A number that is none is the same in
// both.
func equal(a, b any) bool {
	return reflect.DeepEqual(a, b) || fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b)
}
