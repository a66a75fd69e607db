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

// block is a mapping of a YAML file that is written line by line, or one that is
// not there yet.
type block struct {
	node   *yaml.Node
	indent int // of its keys, in columns
	end    int // the line behind its last, from 0, or more where that is the file's last
}

// blocks follows a path through mappings as far as it goes. A mapping that is
// written on one line ({...}) cannot be changed line by line.
func blocks(data []byte, path []string) ([]block, []int, error) {
	// YAML knows more line ends than the two that we count.
	if bytes.ContainsAny(bytes.ReplaceAll(data, []byte("\r\n"), nil), "\r\u0085\u2028\u2029") {
		return nil, nil, errLineEnds
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNotYAML, err)
	}
	if len(doc.Content) == 0 {
		return []block{{end: math.MaxInt}}, nil, nil
	}
	out, places := []block{{node: doc.Content[0], end: math.MaxInt}}, []int(nil)
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
			return out, places, nil
		}
		keys := b.node.Content
		i := 0
		for i < len(keys) && keys[i].Value != path[depth] {
			i += 2
		}
		if i == len(keys) {
			return out, places, nil
		}
		places = append(places, i)
		if depth == len(path)-1 {
			return out, places, nil
		}
		value, end := keys[i+1], b.end
		if i+2 < len(keys) {
			end = keys[i+2].Line - 1
		}
		if value.Tag == "!!null" && value.Value == "" { // a key with nothing behind it
			return out, places, nil
		}
		out = append(out, block{node: value, end: end})
	}
}

func yamlSet(data []byte, path []string, value any) ([][]byte, error) {
	found, places, err := blocks(data, path)
	if err != nil {
		return nil, err
	}
	depth := len(found) - 1
	b := found[depth]
	if len(places) > depth { // the key is there, with nothing behind it
		if next := places[depth] + 2; next < len(b.node.Content) {
			b.end = b.node.Content[next].Line - 1
		}
		b.indent, depth = b.indent+2, depth+1
	}
	for i := len(path) - 1; i >= depth; i-- {
		value = Object{{path[i], value}}
	}
	// JSON is YAML: read so, the members keep their order.
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(text(value)), &node); err != nil {
		return nil, err
	}
	spread(&node)
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
	for end > 0 && blank(lines[end-1], 0) { // before the empty lines and the remarks that lead to the next key
		end--
	}
	empty := end // or behind the empty lines, which may be part of a text (|+)
	for empty < last && len(bytes.TrimSpace(lines[empty])) == 0 {
		empty++
	}
	return [][]byte{at(end), at(empty)}, nil
}

// blank reports whether a line holds nothing but a remark that is indented no
// more than this.
func blank(line []byte, indent int) bool {
	text := bytes.TrimLeft(line, " ")
	return len(bytes.TrimSpace(text)) == 0 || text[0] == '#' && len(line)-len(text) <= indent
}

// spread writes a value line by line, and texts without quotation marks where
// they need none.
func spread(n *yaml.Node) {
	n.Style = 0
	for _, c := range n.Content {
		spread(c)
	}
}

func yamlRemove(data []byte, path []string, keep int) ([][]byte, error) {
	found, places, err := blocks(data, path)
	if err != nil {
		return nil, err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	from, to := 0, 0
	for depth, i := range slices.Backward(places) {
		b := found[depth]
		first, last := b.node.Content[i].Line-1, b.end
		if i+2 < len(b.node.Content) {
			last = b.node.Content[i+2].Line - 1
		}
		last = min(last, len(lines))
		for last > first+1 && blank(lines[last-1], b.indent) {
			last--
		}
		if to > 0 && bytes.ContainsRune(bytes.Join(slices.Concat(lines[first:from], lines[to:last]), nil), '#') {
			break // a mapping with remarks stays
		}
		if from, to = first, last; len(b.node.Content) > 2 || depth == keep {
			break
		}
	}
	empty := to // or with the empty lines behind it, which would become part of a text before it (|+)
	for empty < len(lines) && len(bytes.TrimSpace(lines[empty])) == 0 {
		empty++
	}
	rest := func(to int) []byte { return bytes.Join(slices.Concat(lines[:from], lines[to:]), nil) }
	return [][]byte{rest(to), rest(empty)}, nil
}
