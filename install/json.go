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
	if len(path) == 0 {
		return ""
	}
	return "/" + strings.Join(path, "/")
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
		err = fmt.Errorf("%w: %w", ErrUnsafe, err)
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

	unit := "  "
	if found := indentation().FindSubmatch(data); found != nil {
		unit = string(found[1])
	}
	holder := root.Find(pointer(path[:depth-1]))
	if path[depth-1] == "-" && holder.Value.Kind() != '[' {
		return nil, ErrUnsafe
	}
	text := hujson.Value{Value: holder.Value}.Pack()
	oneLine := !empty(holder) && !bytes.Contains(text, []byte("\n"))
	indent := strings.Repeat(unit, depth)
	laidOut, err := indented(value, indent, unit)
	if oneLine {
		laidOut, err = plainjson.Marshal(value)
	}
	if err != nil {
		return nil, err
	}
	isNew := root.Find(pointer(path)) == nil
	err = patchJSON(&root, "add", path, laidOut)
	switch {
	case err != nil:
		return nil, err
	case isNew && oneLine:
		layOut(holder, " ", "")
	case isNew:
		layOut(holder, "\n"+indent, "\n"+strings.TrimSuffix(indent, unit))
	}
	return packJSON(root), nil
}

// layOut puts blanks before the last entry of an object or a list, which was added, and
// before the closing bracket if that follows the entry.
func layOut(holder *hujson.Value, before, end string) {
	var blanks, last *hujson.Extra
	switch x := holder.Value.(type) {
	case *hujson.Object:
		member := &x.Members[len(x.Members)-1]
		member.Value.BeforeExtra = hujson.Extra(" ")
		blanks, last = &member.Name.BeforeExtra, &x.AfterExtra
	case *hujson.Array:
		blanks, last = &x.Elements[len(x.Elements)-1].BeforeExtra, &x.AfterExtra
	}
	*blanks = append(bytes.TrimRight(*blanks, " \t\n"), before...)
	if !bytes.Contains(*last, []byte("\n")) {
		*last = append(*last, end...)
	}
}

// removeJSON removes a value, and the objects and lists above it that hold nothing then, not
// even a comment.
func removeJSON(data []byte, path []string) ([]byte, error) {
	root, err := parseJSON(data)
	for err == nil && len(path) > 0 {
		err = patchJSON(&root, "remove", path, nil)
		path = path[:len(path)-1]
		holder := root.Find(pointer(path))
		inside := hujson.Value{Value: holder.Value}.Pack()
		if !empty(holder) || len(bytes.Trim(inside, "{}[] \t\n")) > 0 {
			break
		}
	}
	return packJSON(root), err
}

// empty reports whether an object or a list has no entries.
func empty(v *hujson.Value) bool {
	switch x := v.Value.(type) {
	case *hujson.Object:
		return len(x.Members) == 0
	case *hujson.Array:
		return len(x.Elements) == 0
	}
	return false
}
