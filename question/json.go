package question

import (
	"bytes"
	"encoding/json"
)

// Read reads a JSON value into a T. What is not there, or null, is the zero T;
// what is there and is no T is a violation that says what was expected. It
// reports whether a T was there.
func Read[T any](v *Violations, path string, raw json.RawMessage, want string) (T, bool) {
	var x, none T
	if len(raw) == 0 || string(raw) == "null" {
		return none, false
	}
	if json.Unmarshal(raw, &x) != nil {
		v.Add(path, "must be %s, is %s", want, Describe(raw))
		return none, false
	}
	return x, true
}

// Describe says what a JSON value is, for the message that something else was
// expected: a short one itself, of a long one the beginning or the kind.
func Describe(raw json.RawMessage) string {
	const most = 40
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return "not JSON"
	}
	text := Line(b.String())
	switch {
	case Count(text) <= most:
		return text
	case text[0] == '{':
		return "an object"
	case text[0] == '[':
		return "an array"
	}
	return Shorten(text, most)
}
