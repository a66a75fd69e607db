package install

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"mcp-askuser/internal/tomlfile"
)

// tomlFile is TOML, in which ours is one table.
var tomlFile = &format{decodeTOML, setTOML, removeTOML} //nolint:gochecknoglobals // never written to

var errNotTOML = errors.New("this is not TOML, and was not changed")

func decodeTOML(data []byte) (map[string]any, error) {
	document, line, err := tomlfile.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%w: line %d: %w", errNotTOML, line, err)
	}
	return document, nil
}

// setTOML puts a table at the end of the file, in place of the old one.
func setTOML(data []byte, value any, path []string) ([]byte, error) {
	data, err := removeTOML(data, path)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Write(bytes.TrimRight(data, "\n"))
	if out.Len() > 0 {
		out.WriteString("\n\n")
	}
	out.WriteString("[" + strings.Join(path, ".") + "]\n")
	err = toml.NewEncoder(&out).SetTablesInline(true).Encode(value)
	return out.Bytes(), err
}

// removeTOML removes the statements of a table and of those below it, in every form that TOML
// has. Comments and empty lines before the next statement stay, as they are that one's.
func removeTOML(data []byte, path []string) ([]byte, error) {
	all, err := tomlfile.Statements(data)
	if err != nil {
		return nil, err
	}
	var out []byte
	at, ours, last := 0, false, false
	for _, s := range append(all, tomlfile.Statement{Begin: len(data)}) {
		part := data[at:s.Begin]
		if ours {
			part = comments().Find(part)
		}
		out = append(out, part...)
		at, last = s.Begin, ours && len(part) == 0
		ours = len(s.Keys) >= len(path) && slices.Equal(s.Keys[:len(path)], path)
	}
	if last { // without the empty line before our table
		out = append(bytes.TrimRight(out, "\n"), '\n')
	}
	return bytes.TrimLeft(out, "\n"), nil
}

// comments matches the comments and empty lines at the end of a text.
var comments = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^[ \t\r]*(?:#.*)?\n)*(?:^#.*)?\z`)
})
