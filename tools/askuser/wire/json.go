package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcp-askuser/internal/plainjson"
	"mcp-askuser/question"
)

// ordered is a JSON object whose members keep the order in which they were
// written.
type ordered struct {
	keys   []string
	values map[string]json.RawMessage
}

// spellings are the other names that models give a member of a call. Each name counts in any
// case, with or without underscores: multiselect and multi_select are multiSelect.
var spellings = map[string][]string{ //nolint:gochecknoglobals // a table, never written to
	"question":            {"question_text", "prompt", "text", "message"},
	"question_id":         {"id"},
	"options":             {"choices", "suggestions", "follow_up"},
	"label":               {"title", "text", "name", "value"},
	"multiSelect":         {"multiple", "allow_multiple"},
	"allow_custom":        {"allow_freeform", "allow_freeform_input"},
	"follow_up_questions": {"follow_ups"},
	"input":               {"arguments", "parameters", "params", "args"},
}

// get returns the member of this name, or of another spelling of it, that is present and not
// null.
func (o *ordered) get(name string) json.RawMessage {
	names := append([]string{name}, spellings[name]...)
	present := func(name string) bool { return len(o.values[name]) > 0 && string(o.values[name]) != "null" }
	bare := func(name string) string { return strings.ReplaceAll(name, "_", "") }
	for _, n := range names {
		if present(n) {
			return o.values[n]
		}
	}
	for _, key := range o.keys {
		if present(key) && slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(bare(key), bare(n)) }) {
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
	if _, exists := o.values[name]; !exists {
		o.keys = append(o.keys, name)
	}
	o.values[name] = value
}

// set is put for a value that can always be encoded.
func (o *ordered) set(name string, value any) {
	data, err := encode(value)
	if err != nil {
		panic(err)
	}
	o.put(name, json.RawMessage(data))
}

// MarshalJSON writes the members in order.
func (o ordered) MarshalJSON() ([]byte, error) {
	return plainjson.Object(len(o.keys), func(i int) (string, any) { return o.keys[i], o.values[o.keys[i]] })
}

// encode writes v as JSON on one line.
func encode(v any) (string, error) {
	data, err := plainjson.Marshal(v)
	return string(data), err
}

// encodeShown is encode with every text, those of members' names included, as
// [question.Readable] shows it.
func encodeShown(v any) ([]byte, error) {
	data, err := plainjson.Marshal(v)
	return jsonTexts().ReplaceAllFunc(data, func(text []byte) []byte {
		s, _ := word(text)
		shown, _ := plainjson.Marshal(question.Readable(s)) // a text has no reason to fail
		return shown
	}), err
}

var jsonTexts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`) })

// UnmarshalJSON reads an object.
func (o *ordered) UnmarshalJSON(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if start, _ := d.Token(); start != json.Delim('{') {
		return errors.New("not an object")
	}
	for d.More() {
		var value json.RawMessage
		name, err := d.Token()
		if err = cmp.Or(err, d.Decode(&value)); err != nil {
			return err
		}
		o.put(name.(string), value) // as the names of members are
	}
	return nil
}

// word returns what a JSON string says.
func word(raw json.RawMessage) (s string, ok bool) {
	ok = opens(raw, '"') && json.Unmarshal(raw, &s) == nil
	return s, ok
}

// opens reports whether a value begins with a character: which kind of value it is.
func opens(raw json.RawMessage, with byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == with
}

// Unquote returns the array or object inside a JSON string, as models write it, and any other
// value as it is.
func Unquote(raw json.RawMessage) json.RawMessage {
	inner, _ := word(raw)
	in := []byte(inner)
	if !opens(in, '[') && !opens(in, '{') {
		return raw
	}
	var v any
	if json.Unmarshal(in, &v) != nil {
		return raw
	}
	if depth, values := extent(v); depth > maxDepth || values > maxValues {
		return raw
	}
	return in
}

// broken describes JSON in a string that cannot be read: models forget to escape what is in
// it. It returns nothing for other values.
func broken(raw json.RawMessage) string {
	const most = 25
	inner, _ := word(raw)
	var fault *json.SyntaxError
	in := []byte(inner)
	if !opens(in, '[') && !opens(in, '{') || !errors.As(json.Unmarshal(in, new(any)), &fault) {
		return ""
	}
	before := []rune(question.Line(inner[:fault.Offset]))
	before = before[max(len(before)-most, 0):]
	return fmt.Sprintf("is a string whose JSON breaks after …%s (%v); write it as JSON, not as a string",
		string(before), fault)
}

// unlessEmpty returns a value, but nil for an empty one in the forms that models write, also
// inside a string.
func unlessEmpty(raw json.RawMessage) json.RawMessage {
	text, isString := word(raw)
	if !isString {
		text = string(raw)
	}
	switch strings.TrimSpace(text) {
	case "", "null", "false", "{}", "[]", "[{}]":
		return nil
	}
	return raw
}

// extent is how deep the values in v are nested, and how many there are.
func extent(v any) (depth, values int) {
	var inner []any
	switch v := v.(type) {
	case []any:
		inner = v
	case map[string]any:
		inner = slices.Collect(maps.Values(v))
	default:
		return 0, 0
	}
	for _, x := range inner {
		deep, n := extent(x)
		depth, values = max(depth, deep), values+n+1
	}
	return depth + 1, values
}
