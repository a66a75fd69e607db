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

// document is a JSON file as hujson's tree, which holds all of its bytes. Blanks
// and comments belong to the value beside them: those before a comma or a bracket
// to the one before it, all others to the one behind them.
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
	if d.root, err = hujson.Parse(append(bytes.Clone(text), '\n')); err != nil { // which a comment on the last line needs
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

// entries returns those of an object or a list, and the blanks and comments before
// its bracket. Any other value has none.
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
		old, name := values[depth], path[depth-1]
		all, _ := entries(values[depth-1])
		if slices.ContainsFunc(all, func(e entry) bool { return e.name == name && e.value != old }) {
			return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), errTwice)
		}
		old.Value = d.layout(values[depth-1], depth, value)
		return d.pack(), nil
	}
	for i := len(path) - 1; i > depth; i-- {
		value = Object{{path[i], value}}
	}
	all, end := entries(values[depth])
	if _, list := values[depth].Value.(*hujson.Array); end == nil || list && path[depth] != strconv.Itoa(len(all)) {
		return nil, fmt.Errorf("%s: %w", strings.Join(path[:depth], "."), ErrNoObject)
	}
	d.add(values[depth], depth+1, path[depth], value)
	return d.pack(), nil
}

// multiline reports whether the entries of an object or a list have lines of their own.
func (d *document) multiline(v *hujson.Value) bool {
	all, _ := entries(v)
	return d.unit != "" && (len(all) == 0 || spansLines(v))
}

// spansLines reports whether an object or a list is written on several lines.
func spansLines(v *hujson.Value) bool {
	return strings.Contains(hujson.Value{Value: v.Value}.String(), "\n")
}

// newLine returns a line break and the indentation behind it.
func (d *document) newLine(depth int) string { return d.eol + strings.Repeat(d.unit, depth) }

// layout writes a value as an entry of an object or a list.
func (d *document) layout(holder *hujson.Value, depth int, value any) hujson.Literal {
	if !d.multiline(holder) {
		return hujson.Literal(text(value))
	}
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(text(value)), strings.Repeat(d.unit, depth), d.unit) // it is JSON
	return bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte(d.eol))
}

// add adds an entry behind the last of an object or a list, and behind the comment at
// the end of that line. An object on one line stays on one.
func (d *document) add(holder *hujson.Value, depth int, name string, value any) {
	all, end := entries(holder)
	n, open := sameLine(*end)
	before, after := slices.Clone((*end)[:n]), (*end)[n:]
	added := hujson.Value{Value: d.layout(holder, depth, value)}
	switch {
	case d.multiline(holder) || open:
		before = append(before, d.newLine(depth)...)
	case len(all) > 0:
		before = append(before, ' ')
	}
	if len(all) > 0 && all[len(all)-1].value.AfterExtra != nil {
		added.AfterExtra = hujson.Extra{} // a trailing comma, as before
	} else if len(all) == 0 && d.multiline(holder) && !spansLines(holder) {
		after = hujson.Extra(d.newLine(depth - 1))
	}
	*end = after
	switch x := holder.Value.(type) {
	case *hujson.Object:
		added.BeforeExtra = hujson.Extra(" ")
		x.Members = append(x.Members, hujson.ObjectMember{Name: hujson.Value{BeforeExtra: before, Value: hujson.Literal(text(name))}, Value: added})
	case *hujson.Array:
		added.BeforeExtra = before
		x.Elements = append(x.Elements, added)
	}
}

// sameLine returns how many bytes of blanks and comments belong to the line that they
// begin on. Open means that a comment ends with that line.
func sameLine(extra hujson.Extra) (n int, open bool) {
	for {
		gap := len(extra[n:]) - len(bytes.TrimLeft(extra[n:], " \t"))
		switch comment := extra[n+gap:]; {
		case bytes.HasPrefix(comment, []byte("/*")):
			n += gap + bytes.Index(comment, []byte("*/")) + 2 // it is JSON
		case bytes.HasPrefix(comment, []byte("//")):
			line, _, _ := bytes.Cut(comment, []byte("\n"))
			return n + gap + len(bytes.TrimRight(line, "\r")), true
		default:
			return n, false
		}
	}
}

// jsonRemove keeps the comments around the removed value, and an object that holds any.
func jsonRemove(data []byte, path []string, protected int) ([]byte, error) {
	d, err := parse(data)
	if err != nil {
		return nil, err
	}
	values, indexes := d.find(path)
	for i := len(path) - 1; ; i-- {
		all, next := entries(values[i])
		at, gone := indexes[i], all[indexes[i]]
		before, comma := gone.first.BeforeExtra, gone.value.AfterExtra != nil
		if at+1 < len(all) {
			next, comma = &all[at+1].first.BeforeExtra, true
		}
		var previous *hujson.Extra
		if at > 0 {
			previous = &all[at-1].value.AfterExtra
		}
		after := slices.Concat(gone.value.AfterExtra, *next)
		switch {
		case len(all) == 1 && blanks(before) && blanks(after):
			if i > protected {
				continue // and remove the object itself
			}
			*next = nil
		case at > 0 && blanks(*previous) && blanks(before): // with the comma before it
			*previous = gone.value.AfterExtra
		case at == 0 && len(all) > 1 && blanks(after):
			*next = before
		default:
			if at > 0 && !comma { // the one before it becomes the last
				before, *previous = slices.Concat(*previous, before), nil
			} else if at > 0 && *previous == nil {
				*previous = hujson.Extra{}
			}
			*next = withoutLine(before, after)
		}
		switch x := values[i].Value.(type) {
		case *hujson.Object:
			x.Members = slices.Delete(x.Members, at, at+1)
		case *hujson.Array:
			x.Elements = slices.Delete(x.Elements, at, at+1)
		}
		return d.pack(), nil
	}
}

func blanks(extra hujson.Extra) bool { return len(bytes.TrimSpace(extra)) == 0 }

// withoutLine joins the text before and after a removed value, without the line that it
// had for itself.
func withoutLine(before, after hujson.Extra) hujson.Extra {
	switch text := bytes.TrimLeft(after, " \t\r"); {
	case len(text) > 0 && text[0] == '\n':
		before = bytes.TrimRight(before, " \t\r\n")
	case len(text) == 0: // the bracket follows
		before = bytes.TrimRight(before, " \t")
	}
	return slices.Concat(before, after)
}
