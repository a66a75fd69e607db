package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"mcp-askuser/internal/plainjson"
)

// ordered is a JSON object whose members keep the order in which they were
// written.
type ordered struct {
	keys   []string
	values map[string]json.RawMessage
}

// get returns the first of these members that is there and not null, or else one
// that is spelt otherwise: multiselect and MultiSelect are multi_select.
func (o *ordered) get(names ...string) json.RawMessage {
	there := func(name string) bool { return len(o.values[name]) > 0 && string(o.values[name]) != "null" }
	bare := func(name string) string { return strings.ReplaceAll(name, "_", "") }
	for _, n := range names {
		if there(n) {
			return o.values[n]
		}
	}
	for _, key := range o.keys {
		if there(key) && slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(bare(key), bare(n)) }) {
			return o.values[key]
		}
	}
	return nil
}

// put appends a member, or replaces the one of this name.
func (o *ordered) put(name string, value json.RawMessage) {
	if o.values == nil {
		o.values = map[string]json.RawMessage{}
	}
	if _, there := o.values[name]; !there {
		o.keys = append(o.keys, name)
	}
	o.values[name] = value
}

// set puts a member whose value has no reason to fail to be JSON.
func (o *ordered) set(name string, value any) {
	data, err := encode(value)
	if err != nil {
		panic(err)
	}
	o.put(name, json.RawMessage(data))
}

// MarshalJSON writes the members in order.
func (o ordered) MarshalJSON() ([]byte, error) {
	return plainjson.Object(func(yield func(string, json.RawMessage) bool) {
		for _, key := range o.keys {
			if !yield(key, o.values[key]) {
				return
			}
		}
	})
}

// encode writes v as JSON on one line.
func encode(v any) (string, error) {
	data, err := plainjson.Marshal(v)
	return string(data), err
}

// What follows takes valid JSON apart in one pass and without a copy: encoding/json
// reads a value once more for each level that it is nested.

// members reads an object.
func members(raw json.RawMessage) (o ordered, ok bool) {
	if !opens(raw, '{') {
		return o, false
	}
	key := ""
	for i, part := range parts(raw) {
		if i%2 == 1 {
			o.put(key, part)
		} else {
			key, _ = word(part)
		}
	}
	return o, true
}

// elements reads an array.
func elements(raw json.RawMessage) ([]json.RawMessage, bool) { return parts(raw), opens(raw, '[') }

// parts returns the values in an object or array, the names of members too.
func parts(raw json.RawMessage) []json.RawMessage {
	var out []json.RawMessage
	raw = bytes.TrimSpace(raw)
	deep, start := 0, 1
	take := func(end int) {
		if part := bytes.TrimSpace(raw[start:end]); len(part) > 0 {
			out = append(out, part)
		}
		start = end + 1
	}
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i += text(raw[i:]) - 1
		case '{', '[':
			deep++
		case '}', ']':
			if deep--; deep < 0 {
				take(i)
			}
		case ',', ':':
			if deep == 0 {
				take(i)
			}
		}
	}
	return out
}

// unlessEmpty returns a value, but nil for one that says nothing in any of the forms in
// which models write that: null, false, an empty text, and objects and arrays of
// nothing else, all of them also inside a string.
func unlessEmpty(raw json.RawMessage) json.RawMessage {
	inner := unquote(raw)
	items := parts(inner)
	step := 1
	switch {
	case opens(inner, '['):
	case opens(inner, '{'):
		items, step = items[min(1, len(items)):], 2 // the values of the members
	default:
		text, ok := word(inner)
		if !ok {
			text = string(inner)
		}
		switch text = strings.TrimSpace(text); {
		case text == "", text == "null", !ok && text == "false":
			return nil
		}
		return raw
	}
	for i := 0; i < len(items); i += step {
		if unlessEmpty(items[i]) != nil {
			return raw
		}
	}
	return nil
}

// word returns what a JSON string says.
func word(raw json.RawMessage) (s string, ok bool) {
	if len(raw) > 1 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]), true
	}
	ok = opens(raw, '"') && json.Unmarshal(raw, &s) == nil
	return s, ok
}

// text returns how long the string is that raw begins with.
func text(raw []byte) int {
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// extent is how deep values are nested in raw, and about how many there are.
func extent(raw []byte) (depth, values int) {
	deep := 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i += text(raw[i:]) - 1
		case '{', '[':
			deep++
			depth = max(depth, deep)
		case '}', ']':
			deep--
		case ',', ':':
			values++
		}
	}
	return depth, values
}
