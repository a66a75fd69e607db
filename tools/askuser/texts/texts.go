// Package texts holds every sentence for the model: the instructions, the
// tools' descriptions and the results. It imports none of our packages and
// knows no protocol.
package texts

import (
	"embed"
	"os"
	"strconv"
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

// Fill returns a text with ${name} replaced by the value of that name. Its lines
// come out joined to one; a line that asks for a value that is empty, or is not
// there, is left out. What a value holds is not replaced in its turn.
func Fill(name string, values map[string]string) string {
	var out []string
	for line := range strings.Lines(Text(name)) {
		whole := true
		line = os.Expand(strings.TrimSpace(line), func(name string) string {
			whole = whole && values[name] != ""
			return values[name]
		})
		if whole {
			out = append(out, line)
		}
	}
	return strings.Join(out, " ")
}

// Quoted puts a value between quotation marks; nothing stays nothing.
func Quoted(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}
