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

// document is a JSON file, parsed, with its layout.
type document struct {
	text []byte
	root hujson.Value
	unit string // of indentation; empty for a file of one line
	eol  string
}

// bom may precede JSON that an editor on Windows has written.
const bom = "\ufeff"

// parse reads a file; an empty one is an empty object.
func parse(data []byte) (*document, error) {
	if len(bytes.TrimSpace(bytes.TrimPrefix(data, []byte(bom)))) == 0 {
		data = []byte("{}\n")
	}
	d := &document{text: data, unit: "  ", eol: eolOf(data)}
	plain := append(bytes.Clone(data), '\n') // which a remark on the last line needs
	if strings.HasPrefix(string(plain), bom) {
		copy(plain, "   ") // so that every offset is right
	}
	var err error
	if d.root, err = hujson.Parse(plain); err != nil {
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

// eolOf is how the lines of a file end.
func eolOf(data []byte) string {
	if bytes.Contains(data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// entry is one member of an object or element of a list, and its place in the text.
type entry struct {
	name       string // of an element: its place, from 0
	begin, end int
	value      *hujson.Value
}

// entries returns those of an object or a list; anything else has none.
func entries(v *hujson.Value) (out []entry) {
	switch x := v.Value.(type) {
	case *hujson.Object:
		for i := range x.Members {
			m := &x.Members[i]
			literal, _ := m.Name.Value.(hujson.Literal)
			out = append(out, entry{literal.String(), m.Name.StartOffset, m.Value.EndOffset, &m.Value})
		}
	case *hujson.Array:
		for i := range x.Elements {
			e := &x.Elements[i]
			out = append(out, entry{strconv.Itoa(i), e.StartOffset, e.EndOffset, e})
		}
	}
	return out
}

// find follows a path as far as it goes: the values on it, the root first, and
// the place of each step. Of members with one name the last counts, as for the
// programs that read the file.
func (d *document) find(path []string) (values []*hujson.Value, places []int) {
	values = append(values, &d.root)
	for _, name := range path {
		all := entries(values[len(values)-1])
		i := len(all) - 1
		for i >= 0 && all[i].name != name {
			i--
		}
		if i < 0 {
			break
		}
		values, places = append(values, all[i].value), append(places, i)
	}
	return values, places
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

func jsonSet(data []byte, path []string, value any) ([][]byte, error) {
	d, err := parse(data)
	if err != nil {
		return nil, err
	}
	values, places := d.find(path)
	depth := len(places)
	if depth == len(path) {
		out, err := d.replace(values[depth-1], values[depth], path, value)
		return [][]byte{out}, err
	}
	for i := len(path) - 1; i > depth; i-- {
		value = Object{{path[i], value}}
	}
	label := ""
	switch values[depth].Value.(type) {
	case *hujson.Object:
		label = text(path[depth]) + ": "
	case *hujson.Array:
		if all := entries(values[depth]); path[depth] != strconv.Itoa(len(all)) {
			return nil, fmt.Errorf("%s: %w", strings.Join(path[:depth], "."), ErrNoObject)
		}
	default:
		return nil, fmt.Errorf("%s: %w", strings.Join(path[:depth], "."), ErrNoObject)
	}
	return [][]byte{d.add(values[depth], depth+1, label, value)}, nil
}

// replace puts a value in the place of another, which is an entry of in.
func (d *document) replace(in, old *hujson.Value, path []string, value any) ([]byte, error) {
	again := func(e entry) bool { return e.name == path[len(path)-1] && e.value != old }
	if slices.ContainsFunc(entries(in), again) {
		return nil, fmt.Errorf("%s: %w", strings.Join(path, "."), errTwice)
	}
	added := d.layout(in, len(path), value)
	return d.splice(old.StartOffset, old.EndOffset, strings.ReplaceAll(added, "\n", d.eol)), nil
}

// spread reports whether the entries of an object or a list have lines of their own.
func (d *document) spread(to *hujson.Value) bool {
	return d.unit != "" && (len(entries(to)) == 0 || bytes.Contains(d.text[to.StartOffset:to.EndOffset], []byte("\n")))
}

// layout is a value as it is written in an object or a list.
func (d *document) layout(to *hujson.Value, depth int, value any) string {
	if !d.spread(to) {
		return text(value)
	}
	var b bytes.Buffer
	_ = json.Indent(&b, []byte(text(value)), strings.Repeat(d.unit, depth), d.unit) // it is JSON
	return b.String()
}

// add puts a value behind the last in an object or a list, and behind the remark at
// the end of its line. What is written on one line stays on one.
func (d *document) add(to *hujson.Value, depth int, label string, value any) []byte {
	all := entries(to)
	inside := string(d.text[to.StartOffset+1 : to.EndOffset-1])
	spread, added := d.spread(to), d.layout(to, depth, value)
	before, after := "", ""
	from := to.StartOffset + 1
	if len(all) > 0 {
		from = all[len(all)-1].end
	}
	remark, comma, open := restOfLine(d.text[from : to.EndOffset-1])
	switch {
	case spread || open:
		before = "\n" + strings.Repeat(d.unit, depth)
	case len(all) > 0:
		before = " "
	}
	parting := ""
	switch {
	case comma:
		after = ","
	case len(all) > 0:
		parting = ","
	case spread && !strings.Contains(inside, "\n"):
		after = "\n" + strings.Repeat(d.unit, depth-1)
	}
	end := from + len(remark)
	if strings.HasPrefix(after, "\n") {
		end = to.EndOffset - 1 // without the blanks before the bracket
	}
	return d.splice(from, end, parting+string(remark)+strings.ReplaceAll(before+label+added+after, "\n", d.eol))
}

// restOfLine returns what follows an entry on its line: a comma, and remarks. Open
// means that the last of these ends with the line.
func restOfLine(text []byte) (rest []byte, comma, open bool) {
	end := 0
	for i := 0; i < len(text) && !open; {
		switch left := text[i:]; {
		case left[0] == ' ' || left[0] == '\t':
			i++
			continue
		case left[0] == ',':
			comma = true
			i++
		case bytes.HasPrefix(left, []byte("/*")):
			i += bytes.Index(left, []byte("*/")) + 2 // it is JSON
		case bytes.HasPrefix(left, []byte("//")):
			open = true
			line, _, _ := bytes.Cut(left, []byte("\n"))
			i += len(bytes.TrimRight(line, "\r"))
		default:
			return text[:end], comma, open
		}
		end = i
	}
	return text[:end], comma, open
}

// jsonRemove leaves the remarks around what it takes out, and an object that
// holds any.
func jsonRemove(data []byte, path []string, keep int) ([][]byte, error) {
	d, err := parse(data)
	if err != nil {
		return nil, err
	}
	out := func(from, to int, text string) ([][]byte, error) { return [][]byte{d.splice(from, to, text)}, nil }
	values, places := d.find(path)
	for i := len(path) - 1; ; i-- {
		all, at := entries(values[i]), places[i]
		begin, end := values[i].StartOffset+1, values[i].EndOffset-1
		if at > 0 {
			begin = all[at-1].end
		}
		if at+1 < len(all) {
			end = all[at+1].begin
		}
		gone := all[at]
		before, after := d.text[begin:gone.begin], d.text[gone.end:end]
		switch {
		case len(all) == 1 && bare(before) && bare(after):
			if i == keep {
				return out(begin, end, "")
			}
		case at > 0 && bare(before): // with the comma that parts it from its neighbour
			return out(begin, gone.end, "")
		case at == 0 && len(all) > 1 && bare(after):
			return out(gone.begin, end, "")
		default:
			return out(begin, end, d.remarks(all, at, before, after))
		}
	}
}

// bare reports whether a gap between two entries has only blanks and a comma.
func bare(gap []byte) bool { return len(bytes.Trim(gap, ", \t\r\n")) == 0 }

// remarks is what stays of the gaps beside an entry that goes: all but one comma,
// and its own line.
func (d *document) remarks(all []entry, at int, before, after []byte) string {
	if comma := len(all[at].value.AfterExtra); comma < len(after) && after[comma] == ',' {
		after = slices.Delete(bytes.Clone(after), comma, comma+1)
	} else if at > 0 {
		comma = len(all[at-1].value.AfterExtra)
		before = slices.Delete(bytes.Clone(before), comma, comma+1)
	}
	switch rest := bytes.TrimLeft(after, " \t\r"); {
	case len(rest) > 0 && rest[0] == '\n':
		before = bytes.TrimRight(before, " \t\r\n")
	case len(rest) == 0: // nothing but the bracket
		before = bytes.TrimRight(before, " \t")
	}
	return string(before) + string(after)
}

func (d *document) splice(from, to int, text string) []byte {
	return slices.Concat(d.text[:from], []byte(text), d.text[to:])
}
