package main

import (
	"errors"
	"fmt"
	"strings"
)

// hunk is one place of a unified diff: the lines there are, from a line on, and
// those that take their place.
type hunk struct {
	line     int // from 1
	old, new []string
}

// parse reads a unified diff, by file.
func parse(patch []byte) (map[string][]hunk, error) {
	files := map[string][]hunk{}
	var name string
	for n, line := range strings.SplitAfter(string(patch), "\n") {
		last := len(files[name]) - 1
		kind, rest := "", ""
		if line != "" {
			kind, rest = line[:1], line[1:]
		}
		switch {
		case strings.HasPrefix(line, "--- "), line == "":
		case strings.HasPrefix(line, "+++ b/"):
			name = strings.TrimSpace(line[6:])
		case kind == "@":
			var h hunk
			if _, err := fmt.Sscanf(line, "@@ -%d", &h.line); err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			files[name] = append(files[name], h)
		case last < 0 || !strings.ContainsAny(kind, " -+"):
			return nil, fmt.Errorf("line %d is none of a unified diff", n+1)
		default:
			h := &files[name][last]
			if kind != "+" {
				h.old = append(h.old, rest)
			}
			if kind != "-" {
				h.new = append(h.new, rest)
			}
		}
	}
	return files, nil
}

var errElsewhere = errors.New("the patch does not fit")

// apply changes a file, which must have exactly the lines that the patch was
// made for, where it was made for them.
func apply(file []byte, hunks []hunk) ([]byte, error) {
	lines := strings.SplitAfter(string(file), "\n")
	var out strings.Builder
	at := 0
	for _, h := range hunks {
		from, to := h.line-1, h.line-1+len(h.old)
		if from < at || to > len(lines) || strings.Join(lines[from:to], "") != strings.Join(h.old, "") {
			return nil, fmt.Errorf("%w at line %d", errElsewhere, h.line)
		}
		out.WriteString(strings.Join(lines[at:from], ""))
		out.WriteString(strings.Join(h.new, ""))
		at = to
	}
	out.WriteString(strings.Join(lines[at:], ""))
	return []byte(out.String()), nil
}
