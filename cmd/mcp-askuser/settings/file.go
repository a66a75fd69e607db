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
// the environment names none.
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

// readFile takes the settings of the configuration file. A file that does not exist is an
// error only if it was named.
func (s *Settings) readFile(getenv func(string) string) error {
	path, err := filePath(getenv)
	if path == "" {
		return err
	}
	s.File = path
	if path == os.DevNull { // an empty file, by convention
		s.Found = true
		return nil
	}
	data, err := smallfile.Read(path)
	missing := errors.Is(err, fs.ErrNotExist)
	s.Found = !missing
	if err == nil {
		return s.takeFile(data)
	}
	if missing && getenv(EnvFile) == "" {
		return nil
	}
	return fmt.Errorf("read the configuration file: %w", err)
}

// takeFile takes the settings in the text of the file. A table counts at its first line.
func (s *Settings) takeFile(data []byte) error {
	values, line, err := tomlfile.Decode(data)
	if err != nil {
		return fmt.Errorf("%s:%d is not TOML: %w", s.File, line, err)
	}
	statements, err := tomlfile.Statements(data)
	for _, at := range statements {
		key := at.Keys[0]
		value, found := values[key]
		if !found {
			continue
		}
		delete(values, key)
		place := fmt.Sprintf("%s:%d", s.File, at.Line)
		row := s.row(key)
		if row != nil {
			row.take(textOf(key, value), FromFile, place, at.Line)
			continue
		}
		text := fmt.Sprintf("%s: %q is no setting; %s", place, key, s.suggestion(key))
		s.unknown = append(s.unknown, Fault{Unknown: true, Key: key, Text: text, line: at.Line})
	}
	return err
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
