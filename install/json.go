package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tailscale/hujson"

	"mcp-askuser/internal/plainjson"
)

// jsonFile is JSON, which may have comments and trailing commas.
var jsonFile = &format{decodeJSON, setJSON, removeJSON} //nolint:gochecknoglobals // never written to

var errNotJSON = errors.New("this is not a JSON object, and was not changed")

// parseJSON reads a file; an empty one is an empty object.
func parseJSON(data []byte) (hujson.Value, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}\n")
	}
	root, err := hujson.Parse(append(bytes.Clone(data), '\n')) // which a comment on the last line needs
	if err != nil {
		return root, fmt.Errorf("%w: %w", errNotJSON, err)
	}
	if root.Value.Kind() != '{' {
		return root, errNotJSON
	}
	return root, nil
}

func packJSON(root hujson.Value) []byte { return bytes.TrimSuffix(root.Pack(), []byte("\n")) }

func decodeJSON(data []byte) (document map[string]any, err error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	root.Standardize()
	err = json.Unmarshal(root.Pack(), &document)
	return document, err
}

// pointer is a path as a JSON pointer. Our paths have no name that it escapes.
func pointer(path []string) string {
	return strings.Join(append([]string{""}, path...), "/")
}

// patchJSON applies one operation of RFC 6902.
func patchJSON(root *hujson.Value, op string, path []string, value []byte) error {
	operation := map[string]any{"op": op, "path": pointer(path)}
	if value != nil {
		operation["value"] = "VALUE"
	}
	patch, err := plainjson.Marshal([]any{operation})
	if err != nil {
		return err
	}
	patch = bytes.Replace(patch, []byte(`"VALUE"`), value, 1) // as it is laid out
	err = root.Patch(patch)
	if err != nil {
		err = fmt.Errorf("%w: %w", errUnsafe, err)
	}
	return err
}

// indentation is what the first line of a file begins with that is indented.
var indentation = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^([ \t]+)["/]`) })

// setJSON sets a value at a path, and creates the objects above it. The name "-" adds an
// element to a list.
func setJSON(data []byte, value any, path []string) ([]byte, error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	depth := 1
	for depth < len(path) && root.Find(pointer(path[:depth])) != nil {
		depth++
	}
	for _, name := range slices.Backward(path[depth:]) {
		if name == "-" {
			value = []any{value}
		} else {
			value = map[string]any{name: value}
		}
	}
	path = path[:depth]
	holder := root.Find(pointer(path[:depth-1]))
	if path[depth-1] == "-" && holder.Value.Kind() != '[' {
		return nil, errUnsafe
	}

	unit := "  "
	found := indentation().FindSubmatch(data)
	if found != nil {
		unit = string(found[1])
	}
	indent := strings.Repeat(unit, depth)
	text, err := indented(value, indent, unit)
	if err != nil {
		return nil, err
	}
	isNew := root.Find(pointer(path)) == nil
	err = patchJSON(&root, "add", path, text)
	if err == nil && isNew {
		layOut(holder, "\n"+indent, "\n"+strings.TrimSuffix(indent, unit))
	}
	return packJSON(root), err
}

// indented returns a value as JSON over several lines, whose lines but the first begin with
// a prefix.
func indented(value any, prefix, unit string) ([]byte, error) {
	data, err := plainjson.Marshal(value)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, data, prefix, unit)
	return b.Bytes(), err
}

// bracketOf returns what precedes the closing bracket of an object or a list.
func bracketOf(holder *hujson.Value) *hujson.Extra {
	switch x := holder.Value.(type) {
	case *hujson.Object:
		return &x.AfterExtra
	case *hujson.Array:
		return &x.AfterExtra
	}
	return new(hujson.Extra)
}

// layOut puts the last entry of an object or a list, which was added, and the closing bracket
// on lines of their own.
func layOut(holder *hujson.Value, before, end string) {
	var blanks *hujson.Extra
	switch x := holder.Value.(type) {
	case *hujson.Object:
		last := &x.Members[len(x.Members)-1]
		last.Value.BeforeExtra = hujson.Extra(" ")
		blanks = &last.Name.BeforeExtra
	case *hujson.Array:
		blanks = &x.Elements[len(x.Elements)-1].BeforeExtra
	}
	*blanks = append(bytes.TrimRight(*blanks, " \t\n"), before...)
	bracket := bracketOf(holder)
	if !bytes.Contains(*bracket, []byte("\n")) {
		*bracket = append(*bracket, end...)
	}
}

// removeJSON removes a value, and the objects and lists above it that hold nothing then, not
// even a comment. The closing bracket stays where it is.
func removeJSON(data []byte, path []string) ([]byte, error) {
	root, err := parseJSON(data)
	for err == nil && len(path) > 0 {
		holder := root.Find(pointer(path[:len(path)-1]))
		if holder == nil { // another of the same name has it
			return nil, errUnsafe
		}
		bracket := bracketOf(holder)
		indent := (*bracket)[bytes.LastIndexByte(*bracket, '\n')+1:]

		err = patchJSON(&root, "remove", path, nil)
		newLine := bytes.LastIndexByte(*bracket, '\n') + 1
		*bracket = append((*bracket)[:newLine:newLine], indent...)
		inside := hujson.Value{Value: holder.Value}.Pack()
		if len(bytes.Trim(inside, "{}[] \t\n")) > 0 {
			break
		}
		path = path[:len(path)-1]
	}
	return packJSON(root), err
}
