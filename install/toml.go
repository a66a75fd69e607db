package install

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlFile is TOML, in which ours is one table.
var tomlFile = &format{decodeTOML, setTOML, removeTOML} //nolint:gochecknoglobals // never written to

var errNotTOML = errors.New("this is not TOML, and was not changed")

func decodeTOML(data []byte) (document map[string]any, err error) {
	err = toml.Unmarshal(data, &document)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotTOML, err)
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

// removeTOML removes the lines of a table and of those below it. Comments and empty lines
// before the next table stay, as they are that table's.
func removeTOML(data []byte, path []string) ([]byte, error) {
	name := strings.Join(path, ".")
	var out, comments []byte
	inside := false
	for line := range bytes.Lines(data) {
		text := string(bytes.TrimSpace(line))
		if strings.HasPrefix(text, "[") {
			inside = strings.HasPrefix(text, "["+name+"]") || strings.HasPrefix(text, "["+name+".")
		}
		switch {
		case !inside:
			out = append(append(out, comments...), line...)
			comments = nil
		case text == "" || strings.HasPrefix(text, "#"):
			comments = append(comments, line...)
		default:
			comments = nil
		}
	}
	if len(comments) == 0 { // without the empty line before our table
		out = append(bytes.TrimRight(out, "\n"), '\n')
	}
	return bytes.TrimLeft(append(out, comments...), "\n"), nil
}
