package question

import (
	"bytes"
	"encoding/json"
)

// Read reads a JSON value of type T, and reports whether it read one. A missing value
// and null are the zero T; any other value is a violation.
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

// Describe describes a JSON value for a violation: a short value itself, else its
// beginning or kind.
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
