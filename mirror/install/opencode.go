package install

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mcp-askuser/install/edit"
)

//go:embed opencode.js
var openCodePlugin []byte

// openCodeMark is how a plugin file of ours begins.
const openCodeMark = `// Written by "mcp-askuser `

// OpenCode returns our plugin for OpenCode, which runs a program for each event; for
// permissions only if they are mirrored.
func OpenCode(program []string, permissions bool) []byte {
	plugin := openCodePlugin
	if permissions {
		program = append(slices.Clone(program), permissionsFlag)
		plugin = bytes.Replace(plugin, []byte("const permissions = false"), []byte("const permissions = true"), 1)
	}
	list, _ := json.Marshal(program) // strings have no reason to fail
	return bytes.Replace(plugin, []byte("const command = []"), fmt.Appendf(nil, "const command = %s", list), 1)
}

// errForeign means that the plugin file was written by another program.
var errForeign = errors.New("this is not ours, and was not changed")

// hasOpenCode reports whether a plugin file is ours.
func hasOpenCode(data []byte) bool { return bytes.HasPrefix(data, []byte(openCodeMark)) }

// openCodePermissions reports whether a plugin file of ours mirrors permissions.
func openCodePermissions(data []byte) bool {
	return bytes.Contains(data, []byte("const permissions = true"))
}

// forOpenCode returns the change that writes our plugin, or removes it.
func forOpenCode(path string, program []string, permissions, out bool) (edit.Change, error) {
	c, err := edit.Read(path)
	if err != nil {
		return c, err
	}
	if c.Before != nil && !hasOpenCode(c.Before) {
		if out {
			return c, nil
		}
		return c, fmt.Errorf("%s: %w", c.Path, errForeign)
	}
	c.After = nil
	if !out {
		c.After = OpenCode(program, permissions)
	}
	return c, nil
}
