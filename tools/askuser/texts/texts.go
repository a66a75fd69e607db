// Package texts holds every sentence for the model: the instructions, the
// tools' descriptions and the results. It imports none of our packages and
// knows no protocol.
package texts

import (
	"embed"
	"strings"
)

//go:embed *.md
var files embed.FS

// Text returns a text as it is, by the name of its file.
func Text(name string) string {
	data, err := files.ReadFile(name + ".md")
	if err != nil { // the files are compiled in
		panic(err)
	}
	return strings.TrimSpace(string(data))
}

// Fill returns a text with its placeholders filled in, {name} with the value
// that follows "name". Its lines come out joined to one; a line with a
// placeholder that has no value, or an empty one, is left out. Values are taken
// as they are: braces in them mean nothing.
func Fill(name string, pairs ...string) string {
	var out []string
	for line := range strings.Lines(Text(name)) {
		if line, whole := fill(strings.TrimSpace(line), pairs); whole {
			out = append(out, line)
		}
	}
	return strings.Join(out, " ")
}

// fill fills in one line, and reports whether there was a value for each of its
// placeholders.
func fill(line string, pairs []string) (string, bool) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(line, "{")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		name, after, _ := strings.Cut(rest, "}")
		value := ""
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				value = pairs[i+1]
			}
		}
		if value == "" {
			return "", false
		}
		b.WriteString(value)
		line = after
	}
}
