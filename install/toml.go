package install

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

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

// removeTOML removes a table and those below it. An entry of any other form stays, which
// [format.put] refuses.
func removeTOML(data []byte, path []string) ([]byte, error) {
	tables := tableAt(path)
	out := tables.ReplaceAll(data, nil)
	all := tables.FindAllIndex(data, -1)
	if len(all) > 0 && all[len(all)-1][1] == len(data) { // without the empty line before our table
		out = append(bytes.TrimRight(out, "\n"), '\n')
	}
	return bytes.TrimLeft(out, "\n"), nil
}

// tableAt matches a table at a path or below it, to its last statement: comments and empty lines
// before the next table are that one's.
func tableAt(path []string) *regexp.Regexp {
	const around = `["' \t]*`
	name := around + strings.Join(path, around+`\.`+around) + around
	const statements = `(?:(?:[ \t\r]*(?:#.*)?\n)*[ \t]*[^\s#\[].*\n?)*`
	return regexp.MustCompile(`(?m)^[ \t]*\[` + name + `[.\]].*\n?` + statements)
}
