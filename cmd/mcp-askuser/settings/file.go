package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

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
		return "", fmt.Errorf("%s is %q; it takes an absolute path", EnvFile, file)
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

// takeFile takes the settings in the text of the file.
func (s *Settings) takeFile(data []byte) error {
	values, line, err := tomlfile.Decode(data)
	if err != nil {
		return fmt.Errorf("%s:%d is not TOML: %w", s.File, line, err)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		row := s.row(key)
		if row != nil {
			row.take(textOf(values[key]), FromFile, s.File)
			continue
		}
		text := fmt.Sprintf("%s: %q is no setting; mcp-askuser config lists them all", s.File, key)
		s.unknown = append(s.unknown, Fault{Unknown: true, Key: key, Text: text})
	}
	return nil
}

// textOf formats a value of the file as a variable would hold it.
func textOf(value any) string {
	list, isList := value.([]any)
	text, err := json.Marshal(list)
	if !isList || err != nil { // a number that JSON does not have
		return fmt.Sprint(value)
	}
	return string(text)
}
