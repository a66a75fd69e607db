package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/BurntSushi/toml"
)

// EnvFile is the variable that names a configuration file other than the
// user's.
const EnvFile = "MCP_ASKUSER_CONFIG"

// filePath returns where the configuration file is: $MCP_ASKUSER_CONFIG, else
// config.toml in our directory within the platform's directory for
// configuration; empty where the environment tells none. Not by way of
// github.com/adrg/xdg for the reason given at spool.DefaultDir.
func filePath(getenv func(string) string) (string, error) {
	if file := getenv(EnvFile); file != "" {
		if !filepath.IsAbs(file) {
			return "", fmt.Errorf("%s is %q; it takes an absolute path", EnvFile, file)
		}
		return filepath.Clean(file), nil
	}
	root := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(root) { // the XDG specification has relative ones ignored
		home, below := "HOME", []string{".config"}
		switch runtime.GOOS {
		case "windows":
			home, below = "APPDATA", nil
		case "darwin":
			below = []string{"Library", "Application Support"}
		}
		if root = getenv(home); !filepath.IsAbs(root) {
			return "", nil
		}
		root = filepath.Join(append([]string{root}, below...)...)
	}
	return filepath.Join(root, "mcp-askuser", "config.toml"), nil
}

// entry is one key of the file.
type entry struct {
	key  string
	text string // the value as text, lists as JSON
	line int    // 0 where unknown
}

// place is where the entry stands.
func (e entry) place(path string) string {
	if e.line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, e.line)
}

// readFile returns the entries of the file in the order of their lines; nil
// where there is no file, which is an error only if it must be there.
func readFile(path string, must bool) ([]entry, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !must {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the configuration file: %w", err)
	}
	return parse(path, data)
}

func parse(path string, data []byte) ([]entry, error) {
	var values map[string]toml.Primitive
	meta, err := toml.Decode(string(data), &values)
	var wrong toml.ParseError
	if errors.As(err, &wrong) {
		return nil, fmt.Errorf("%s is not TOML: %s", entry{line: wrong.Position.Line}.place(path), wrong.Message)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not TOML: %w", path, err)
	}
	out := []entry{}
	for key, value := range values {
		e := entry{key: key}
		e.read(&meta, value)
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b entry) int { return a.line - b.line })
	return out, nil
}

// read takes a value and finds its line. The library tells lines only with an
// error about a value: an entry refuses all of them.
func (e *entry) read(meta *toml.MetaData, value toml.Primitive) {
	var refusal toml.ParseError
	if errors.As(meta.PrimitiveDecode(value, e), &refusal) {
		e.line = refusal.Position.Line
	}
	// A table that is only there for its dotted keys stands nowhere itself.
	var within map[string]toml.Primitive
	if e.line > 0 || meta.PrimitiveDecode(value, &within) != nil {
		return
	}
	for _, value := range within {
		inner := entry{key: e.key}
		if inner.read(meta, value); e.line == 0 || inner.line < e.line {
			e.line = inner.line
		}
	}
}

// errSeen refuses a value that has been taken all the same; see read.
var errSeen = errors.New("seen")

// UnmarshalTOML takes the value as text and returns errSeen.
func (e *entry) UnmarshalTOML(value any) error {
	switch v := value.(type) {
	case []any:
		if text, err := json.Marshal(v); err == nil {
			e.text = string(text)
		}
	case map[string]any, []map[string]any:
		e.text = "[" + e.key + "]" // as the table's head; no setting takes one
	default:
		e.text = fmt.Sprint(v)
	}
	return errSeen
}
