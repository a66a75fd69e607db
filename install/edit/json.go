package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// document is a JSON file as hujson's tree, which holds all of its bytes. Blanks and
// comments belong to the value behind them, those before a bracket to the object or list.
// hujson.Patch is not used: it removes comments beside a value, which are the user's.
type document struct {
	root hujson.Value
	bom  bool
	unit string // of indentation; empty for a file of one line
	eol  string
}

// bom may precede JSON that an editor on Windows has written.
const bom = "\ufeff"

// parse reads a file; an empty one is an empty object.
func parse(data []byte) (*document, error) {
	text, marked := bytes.CutPrefix(data, []byte(bom))
	if len(bytes.TrimSpace(text)) == 0 {
		text, marked = []byte("{}\n"), false
	}
	d := &document{bom: marked, unit: "  ", eol: eolOf(text)}
	var err error
	d.root, err = hujson.Parse(append(bytes.Clone(text), '\n')) // which a comment on the last line needs
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotJSON, err)
	}
	object, ok := d.root.Value.(*hujson.Object)
	if !ok {
		return nil, ErrNoObject
	}
	if len(object.Members) > 0 {
		before := string(object.Members[0].Name.BeforeExtra)
		at := strings.LastIndexByte(before, '\n')
		if at < 0 {
			d.unit = ""
		} else if indent := before[at+1:]; indent != "" && strings.Trim(indent, " \t") == "" {
			d.unit = indent
		}
	}
	return d, nil
}

// pack writes the file.
func (d *document) pack() []byte {
	out := bytes.TrimSuffix(d.root.Pack(), []byte("\n"))
	if d.bom {
		out = append([]byte(bom), out...)
	}
	return out
}

// eolOf returns the line end of a file.
func eolOf(data []byte) string {
	if bytes.Contains(data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// entry is a member of an object or an element of a list.
type entry struct {
	name  string        // of an element: its index
	first *hujson.Value // the member's name, or the element
	value *hujson.Value
}

// entries returns those of an object or a list, and the blanks and comments before its
// bracket. Any other value has none.
func entries(v *hujson.Value) (all []entry, end *hujson.Extra) {
	switch x := v.Value.(type) {
	case *hujson.Object:
		for i := range x.Members {
			m := &x.Members[i]
			literal, _ := m.Name.Value.(hujson.Literal)
			all = append(all, entry{literal.String(), &m.Name, &m.Value})
		}
		return all, &x.AfterExtra
	case *hujson.Array:
		for i := range x.Elements {
			e := &x.Elements[i]
			all = append(all, entry{strconv.Itoa(i), e, e})
		}
		return all, &x.AfterExtra
	}
	return nil, nil
}

// find follows a path to the last value that exists, and returns the values on it,
// the root first, and their indexes. Of members with one name the last counts, as for
// the programs that read the file.
func (d *document) find(path []string) (values []*hujson.Value, indexes []int) {
	values = append(values, &d.root)
	for _, name := range path {
		all, _ := entries(values[len(values)-1])
		i := len(all) - 1
		for i >= 0 && all[i].name != name {
			i--
		}
		if i < 0 {
			break
		}
		values, indexes = append(values, all[i].value), append(indexes, i)
	}
	return values, indexes
}

func jsonDecode(data []byte) (v any, err error) {
	d, err := parse(data)
	if err != nil {
		return nil, err
	}
	d.root.Standardize()
	err = json.Unmarshal(d.root.Pack(), &v)
	return v, err
}

func jsonSet(data []byte, path []string, value any) ([]byte, error) {
	d, err := parse(data)
	if err != nil {
		return nil, err
	}
	values, indexes := d.find(path)
	depth := len(indexes)
	if depth == len(path) {
		values[depth].Value = d.layout(values[depth-1], depth, value)
		return d.pack(), nil
	}
	for i := len(path) - 1; i > depth; i-- {
		value = Object{{path[i], value}}
	}
	all, end := entries(values[depth])
	_, list := values[depth].Value.(*hujson.Array)
	if end == nil || list && path[depth] != strconv.Itoa(len(all)) {
		return nil, fmt.Errorf("%s: %w", strings.Join(path[:depth], "."), ErrNoObject)
	}
	d.add(values[depth], depth+1, path[depth], value)
	return d.pack(), nil
}

// ownLines reports whether the entries of an object or a list have lines of their own.
func (d *document) ownLines(v *hujson.Value) bool {
	all, _ := entries(v)
	return d.unit != "" && (len(all) == 0 || strings.Contains(hujson.Value{Value: v.Value}.String(), "\n"))
}

// newLine returns a line break and the indentation behind it.
func (d *document) newLine(depth int) string { return d.eol + strings.Repeat(d.unit, depth) }

// layout writes a value as an entry of an object or a list.
func (d *document) layout(holder *hujson.Value, depth int, value any) hujson.Literal {
	if !d.ownLines(holder) {
		return hujson.Literal(text(value))
	}
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(text(value)), strings.Repeat(d.unit, depth), d.unit) // it is JSON
	return bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(d.eol))
}

// add adds the last entry of an object or a list, behind all comments in it. An object on
// one line stays on one.
func (d *document) add(holder *hujson.Value, depth int, name string, value any) {
	all, end := entries(holder)
	added := hujson.Value{Value: d.layout(holder, depth, value)}
	before := bytes.TrimRight(*end, " \t\r\n")
	switch {
	case d.ownLines(holder):
		before = append(slices.Clip(before), d.newLine(depth)...)
		*end = hujson.Extra(d.newLine(depth - 1))
	case len(all) > 0 || len(before) > 0:
		*end = (*end)[len(before):]
		before = append(slices.Clip(before), ' ')
	}
	if len(all) > 0 && all[len(all)-1].value.AfterExtra != nil {
		added.AfterExtra = hujson.Extra{} // a trailing comma, as before
	}
	switch x := holder.Value.(type) {
	case *hujson.Object:
		added.BeforeExtra = hujson.Extra(" ")
		x.Members = append(x.Members, hujson.ObjectMember{
			Name: hujson.Value{BeforeExtra: before, Value: hujson.Literal(text(name))}, Value: added,
		})
	case *hujson.Array:
		added.BeforeExtra = before
		x.Elements = append(x.Elements, added)
	}
}

// jsonRemove removes a value, and the objects and lists above it that become empty. It
// keeps the comments around the value, and what holds any.
func jsonRemove(data []byte, path []string) ([]byte, error) {
	d, err := parse(data)
	if err != nil {
		return nil, err
	}
	values, indexes := d.find(path)
	last := len(path) - 1
	for ; last > 0; last-- {
		all, end := entries(values[last])
		gone := all[indexes[last]]
		if len(all) > 1 || !blank(gone.first.BeforeExtra, gone.value.AfterExtra, *end) {
			break
		}
	}
	holder, at := values[last], indexes[last]
	all, next := entries(holder)
	gone := all[at]
	before, after := gone.first.BeforeExtra, gone.value.AfterExtra
	switch {
	case at+1 < len(all):
		next = &all[at+1].first.BeforeExtra
	case at > 0 && after != nil: // the comma behind the last, for the one before it
		all[at-1].value.AfterExtra = append(hujson.Extra{}, all[at-1].value.AfterExtra...)
	case at > 0:
		before = slices.Concat(all[at-1].value.AfterExtra, before)
		all[at-1].value.AfterExtra = nil
	}
	after = slices.Concat(after, *next)
	switch {
	case !blank(before, after):
		line := bytes.TrimLeft(after, " \t\r")
		if len(line) == 0 { // the bracket follows
			before = bytes.TrimRight(before, " \t")
		} else if line[0] == '\n' { // the value had a line of its own
			before = bytes.TrimRight(before, " \t\r\n")
		}
		*next = slices.Concat(before, after)
	case at+1 < len(all):
		*next = before
	case at == 0:
		*next = nil
	}
	switch x := holder.Value.(type) {
	case *hujson.Object:
		x.Members = slices.Delete(x.Members, at, at+1)
	case *hujson.Array:
		x.Elements = slices.Delete(x.Elements, at, at+1)
	}
	return d.pack(), nil
}

// blank reports whether there is no comment.
func blank(extras ...hujson.Extra) bool { return len(bytes.TrimSpace(slices.Concat(extras...))) == 0 }
