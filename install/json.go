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
	last, _ := ends(holder)
	oneLine := last != nil && !bytes.Contains(text, []byte("\n"))
	indent := strings.Repeat(unit, depth)
	laidOut, err := indented(value, indent, unit)
	if oneLine {
		laidOut, err = plainjson.Marshal(value)
	}
	if err != nil {
		return nil, err
	}
	isNew := root.Find(pointer(path)) == nil
	comma := last != nil && last.AfterExtra != nil
	err = patchJSON(&root, "add", path, laidOut)
	switch {
	case err != nil:
		return nil, err
	case isNew && oneLine:
		layOut(holder, " ", "")
	case isNew:
		layOut(holder, "\n"+indent, "\n"+strings.TrimSuffix(indent, unit))
	}
	last, _ = ends(holder)
	if isNew && comma {
		last.AfterExtra = hujson.Extra{}
	}
	return packJSON(root), nil
}

// ends returns the last value of an object or a list, nil if it has none, and what precedes its
// closing bracket. A last value that a comma follows has an AfterExtra.
func ends(holder *hujson.Value) (last *hujson.Value, bracket *hujson.Extra) {
	switch x := holder.Value.(type) {
	case *hujson.Object:
		if len(x.Members) > 0 {
			last = &x.Members[len(x.Members)-1].Value
		}
		return last, &x.AfterExtra
	case *hujson.Array:
		if len(x.Elements) > 0 {
			last = &x.Elements[len(x.Elements)-1]
		}
		return last, &x.AfterExtra
	}
	return nil, new(hujson.Extra)
}

// layOut puts blanks before the last entry of an object or a list, which was added, and
// before the closing bracket if that follows the entry.
func layOut(holder *hujson.Value, before, end string) {
	last, bracket := ends(holder)
	blanks := &last.BeforeExtra
	object, ok := holder.Value.(*hujson.Object)
	if ok {
		last.BeforeExtra = hujson.Extra(" ")
		blanks = &object.Members[len(object.Members)-1].Name.BeforeExtra
	}
	*blanks = append(bytes.TrimRight(*blanks, " \t\n"), before...)
	if !bytes.Contains(*bracket, []byte("\n")) {
		*bracket = append(*bracket, end...)
	}
}

// removeJSON removes a value, and the objects and lists above it that hold nothing then, not
// even a comment. The closing bracket stays where it is, and a comma before it, too.
func removeJSON(data []byte, path []string) ([]byte, error) {
	root, err := parseJSON(data)
	for err == nil && len(path) > 0 {
		holder := root.Find(pointer(path[:len(path)-1]))
		last, bracket := ends(holder)
		if last == nil { // another of the same name has it
			return nil, ErrUnsafe
		}
		comma := last.AfterExtra != nil
		indent := (*bracket)[bytes.LastIndexByte(*bracket, '\n')+1:]

		err = patchJSON(&root, "remove", path, nil)
		last, bracket = ends(holder)
		newLine := bytes.LastIndexByte(*bracket, '\n') + 1
		*bracket = append((*bracket)[:newLine:newLine], indent...)
		if last != nil && comma && last.AfterExtra == nil {
			last.AfterExtra = hujson.Extra{}
		}
		inside := hujson.Value{Value: holder.Value}.Pack()
		if last != nil || len(bytes.Trim(inside, "{}[] \t\n")) > 0 {
			break
		}
		path = path[:len(path)-1]
	}
	return packJSON(root), err
}
