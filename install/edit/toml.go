package edit

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcp-askuser/internal/tomlfile"
)

func tomlDecode(data []byte) (any, error) {
	v, line, err := tomlfile.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%w: line %d: %w", errNotTOML, line, err)
	}
	return v, nil
}

// tomlSet adds a table at the end of the file. Tables in it become tables of their own. A
// single value is set at the beginning, before the first table.
func tomlSet(data []byte, path []string, value any) ([]byte, error) {
	data, err := tomlRemove(data, path)
	if err != nil {
		return nil, err
	}
	object, ok := value.(Object)
	eol := eolOf(data)
	if !ok {
		return append([]byte(key(path...)+" = "+text(value)+eol), data...), nil
	}
	out := bytes.Clone(data)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, eol...)
	}
	if len(bytes.TrimSpace(out)) > 0 && !bytes.HasSuffix(out, []byte(eol+eol)) {
		out = append(out, eol...)
	}
	return append(out, strings.ReplaceAll(table(path, object), "\n", eol)...), nil
}

// table writes a table and those below it.
func table(path []string, o Object) string {
	var b, below strings.Builder
	b.WriteString("[" + key(path...) + "]\n")
	for _, m := range o {
		inner, ok := m.Value.(Object)
		if read, is := m.Value.(map[string]any); is {
			ok = true
			for _, name := range slices.Sorted(maps.Keys(read)) {
				inner = append(inner, Member{name, read[name]})
			}
		}
		if ok {
			below.WriteString("\n" + table(append(slices.Clip(path), m.Name), inner))
			continue
		}
		// Strings, integers, booleans and lists are written as in JSON. An escaped slash
		// would be an error; we write none.
		b.WriteString(key(m.Name) + " = " + text(m.Value) + "\n")
	}
	return b.String() + below.String()
}

// key writes a dotted key, with quotation marks where necessary.
func key(parts ...string) string {
	var out []string
	for _, p := range parts {
		bare := p != "" && strings.Trim(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
		if !bare {
			p = text(p)
		}
		out = append(out, p)
	}
	return strings.Join(out, ".")
}

// tomlRemove removes the tables and assignments at and below a path, with their lines.
// Tables above it stay.
func tomlRemove(data []byte, path []string) ([]byte, error) {
	all, err := tomlfile.Statements(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotTOML, err)
	}
	below := func(s tomlfile.Statement) bool {
		return len(s.Keys) >= len(path) && slices.Equal(s.Keys[:len(path)], path)
	}
	out := bytes.Clone(data)
	for i, s := range slices.Backward(all) {
		if !below(s) {
			continue
		}
		end := len(data)
		if i+1 < len(all) {
			end = all[i+1].Begin
		}
		// Comments and empty lines before the next statement stay, unless that is
		// removed too.
		piece := data[s.Begin:end]
		kept := trailing(piece)
		if i+1 < len(all) && below(all[i+1]) {
			kept = 0
		}
		out = slices.Concat(out[:s.Begin], piece[len(piece)-kept:], out[end:])
		if s.Begin == 0 {
			out = bytes.TrimLeft(out, "\r\n")
		}
	}
	switch text := bytes.TrimRight(out, "\r\n"); {
	case bytes.Equal(out, data):
	case len(text) == 0:
		return nil, nil
	case len(text) < len(out): // without the empty line before our table
		out = append(bytes.Clone(text), eolOf(data)...)
	}
	return out, nil
}

// trailing returns the length of the empty lines and comments at the end of a piece.
func trailing(piece []byte) int {
	n := 0
	lines := bytes.SplitAfter(piece, []byte("\n"))
	for _, line := range slices.Backward(lines[1:]) {
		if t := bytes.TrimSpace(line); len(t) > 0 && t[0] != '#' {
			break
		}
		n += len(line)
	}
	return n
}
