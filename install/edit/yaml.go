package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

func yamlDecode(data []byte) (v any, err error) {
	all := yaml.NewDecoder(bytes.NewReader(data))
	if err := all.Decode(&v); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %w", errNotYAML, err)
	}
	if err := all.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errSeveral
	}
	if _, ok := v.(map[string]any); !ok && v != nil {
		return nil, errMapping
	}
	return v, nil
}

// block is a mapping in block style.
type block struct {
	node   *yaml.Node // nil in an empty file
	indent int        // of its keys, in columns
	end    int        // the line behind its last one, from 0; math.MaxInt at the end of the file
}

// endOf returns the line behind the value of a key, by the key's index.
func (b *block) endOf(key int) int {
	if key+2 < len(b.node.Content) {
		return b.node.Content[key+2].Line - 1
	}
	return b.end
}

// blocks follows a path to the last mapping that exists, and returns the mappings on it
// and the indexes of the keys. A mapping in flow style ({...}) cannot be changed line by
// line.
func blocks(data []byte, path []string) ([]block, []int, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNotYAML, err)
	}
	if len(doc.Content) == 0 {
		return []block{{end: math.MaxInt}}, nil, nil
	}
	out, indexes := []block{{node: doc.Content[0], end: math.MaxInt}}, []int(nil)
	for depth := 0; ; depth++ {
		b := &out[depth]
		if depth == 0 && b.node.Style&yaml.FlowStyle != 0 {
			return nil, nil, errOneLine
		}
		if b.node.Kind != yaml.MappingNode || b.node.Style&yaml.FlowStyle != 0 {
			return nil, nil, fmt.Errorf("%s: %w", strings.Join(path[:depth], "."), errOneLine)
		}
		b.indent = b.node.Content[0].Column - 1
		if depth == len(path) {
			return out, indexes, nil
		}
		keys := b.node.Content
		i := 0
		for i < len(keys) && keys[i].Value != path[depth] {
			i += 2
		}
		if i == len(keys) {
			return out, indexes, nil
		}
		indexes = append(indexes, i)
		if depth == len(path)-1 {
			return out, indexes, nil
		}
		value := keys[i+1]
		if value.Tag == "!!null" && value.Value == "" { // a key without a value
			return out, indexes, nil
		}
		out = append(out, block{node: value, end: b.endOf(i)})
	}
}

func yamlSet(data []byte, path []string, value any) ([][]byte, error) {
	found, indexes, err := blocks(data, path)
	if err != nil {
		return nil, err
	}
	depth := len(found) - 1
	b := found[depth]
	if len(indexes) > depth { // the key exists, without a value
		b.end = b.endOf(indexes[depth])
		b.indent, depth = b.indent+2, depth+1
	}
	for i := len(path) - 1; i >= depth; i-- {
		value = Object{{path[i], value}}
	}
	// JSON is YAML: decoded like this, the members keep their order.
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(text(value)), &node); err != nil {
		return nil, err
	}
	useBlockStyle(&node)
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&node); err != nil {
		return nil, err
	}
	added := strings.Repeat(" ", b.indent) + strings.ReplaceAll(strings.TrimSuffix(out.String(), "\n"), "\n", "\n"+strings.Repeat(" ", b.indent)) + "\n"
	added = strings.ReplaceAll(added, "\n", eolOf(data))
	lines := bytes.SplitAfter(data, []byte("\n"))
	at := func(end int) []byte {
		before := bytes.Join(lines[:end], nil)
		if len(before) > 0 && before[len(before)-1] != '\n' {
			before = append(slices.Clip(before), '\n')
		}
		return slices.Concat(before, []byte(added), bytes.Join(lines[end:], nil))
	}
	last := min(b.end, len(lines))
	end := last
	for end > 0 && blank(lines[end-1], 0) { // before the empty lines and comments of the next key
		end--
	}
	empty := end // or behind the empty lines, which may belong to a text (|+)
	for empty < last && len(bytes.TrimSpace(lines[empty])) == 0 {
		empty++
	}
	return [][]byte{at(end), at(empty)}, nil
}

// blank reports whether a line is empty, or a comment with at most this indentation.
func blank(line []byte, indent int) bool {
	text := bytes.TrimLeft(line, " ")
	return len(bytes.TrimSpace(text)) == 0 || text[0] == '#' && len(line)-len(text) <= indent
}

// useBlockStyle has a value written line by line, with quotation marks only where
// necessary.
func useBlockStyle(n *yaml.Node) {
	n.Style = 0
	for _, c := range n.Content {
		useBlockStyle(c)
	}
}

func yamlRemove(data []byte, path []string, protected int) ([][]byte, error) {
	found, indexes, err := blocks(data, path)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	from, to := 0, 0
	for depth, i := range slices.Backward(indexes) {
		b := found[depth]
		first, last := b.node.Content[i].Line-1, min(b.endOf(i), len(lines))
		for last > first+1 && blank(lines[last-1], b.indent) {
			last--
		}
		if to > 0 && bytes.ContainsRune(bytes.Join(slices.Concat(lines[first:from], lines[to:last]), nil), '#') {
			break // a mapping with comments stays
		}
		if from, to = first, last; len(b.node.Content) > 2 || depth == protected {
			break
		}
	}
	empty := to // or with the empty lines behind it, which would extend a text before it (|+)
	for empty < len(lines) && len(bytes.TrimSpace(lines[empty])) == 0 {
		empty++
	}
	without := func(to int) []byte { return bytes.Join(slices.Concat(lines[:from], lines[to:]), nil) }
	return [][]byte{without(to), without(empty)}, nil
}
