package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"mcp-askuser/internal/smallfile"
	"mcp-askuser/internal/tomlfile"
)

// EnvFile is the variable that names a configuration file other than the user's.
const EnvFile = "MCP_ASKUSER_CONFIG"

// filePath returns the path of the configuration file: $MCP_ASKUSER_CONFIG, else
// config.toml in our directory in the platform's directory for configuration; empty if
// the environment names none. github.com/adrg/xdg is not used: see spool.DefaultDir.
func filePath(getenv func(string) string) (string, error) {
	if file := getenv(EnvFile); filepath.IsAbs(file) {
		return filepath.Clean(file), nil
	} else if file != "" {
		return "", fmt.Errorf("%s is %s; it takes %s", EnvFile, strconv.Quote(file), "an absolute path")
	}
	root := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(root) { // the XDG specification has relative ones ignored
		switch runtime.GOOS {
		case "windows":
			root = getenv("APPDATA")
		case "darwin":
			root = filepath.Join(getenv("HOME"), "Library", "Application Support")
		default:
			root = filepath.Join(getenv("HOME"), ".config")
		}
	}
	if !filepath.IsAbs(root) {
		return "", nil
	}
	return filepath.Join(root, "mcp-askuser", "config.toml"), nil
}

// readFile returns the path and the entries of the configuration file, by line. The
// entries are nil if the file does not exist, which is an error only if it was named.
func readFile(getenv func(string) string) (path string, entries []entry, err error) {
	if path, err = filePath(getenv); path == "" {
		return "", nil, err
	}
	if path == os.DevNull { // an empty file, by convention
		return path, []entry{}, nil
	}
	data, err := smallfile.Read(path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing && getenv(EnvFile) == "":
		return path, nil, nil
	case err == nil:
		entries, err = parse(path, data)
		return path, entries, err
	case !missing:
		entries = []entry{}
	}
	return path, entries, fmt.Errorf("read the configuration file: %w", err)
}

// entry is one key of the file.
type entry struct {
	key  string
	text string // the value as text, lists as JSON
	line int    // of its first assignment or table
}

func parse(path string, data []byte) ([]entry, error) {
	entries := []entry{}
	values, line, err := tomlfile.Decode(data)
	if err != nil {
		return entries, fmt.Errorf("%s:%d is not TOML: %w", path, line, err)
	}
	statements, err := tomlfile.Statements(data)
	for _, s := range statements {
		key := s.Keys[0]
		if value, ok := values[key]; ok {
			entries = append(entries, entry{key, textOf(key, value), s.Line})
			delete(values, key)
		}
	}
	return entries, err
}

// textOf formats a value of the file as a variable would hold it.
func textOf(key string, value any) string {
	switch v := value.(type) {
	case []any:
		text, err := json.Marshal(v)
		if err != nil { // a number that JSON does not have
			text = fmt.Append(nil, v)
		}
		return string(text)
	case map[string]any:
		return "[" + key + "]" // the head of the table, which no setting takes
	}
	return fmt.Sprint(value)
}
