package install

import (
	"cmp"
	"path/filepath"
)

// Place locates the files of a user or a project.
type Place struct {
	OS      string // a runtime.GOOS
	Getenv  func(string) string
	Project string // the directory of a project; empty for the user's own files
}

// Home returns the user's home directory.
func (p Place) Home() string {
	return filepath.Clean(cmp.Or(p.Getenv("HOME"), p.Getenv("USERPROFILE")))
}

// config returns the system's directory for the settings of programs.
func (p Place) config() string {
	switch p.OS {
	case "windows":
		return cmp.Or(p.Getenv("APPDATA"), filepath.Join(p.Home(), "AppData", "Roaming"))
	case "darwin":
		return filepath.Join(p.Home(), "Library", "Application Support")
	}
	return p.xdg()
}

// xdg returns the directory for the settings of programs that follow XDG on every system.
func (p Place) xdg() string { return p.dir("XDG_CONFIG_HOME", ".config") }

// dir returns the directory in a variable, or else one below the home directory.
func (p Place) dir(variable, below string) string {
	if dir := p.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(p.Home(), below)
}

// ClaudeSettings returns the path of Claude Code's settings.
func (p Place) ClaudeSettings() string {
	dir := p.dir("CLAUDE_CONFIG_DIR", ".claude")
	if p.Project != "" {
		dir = filepath.Join(p.Project, ".claude")
	}
	return filepath.Join(dir, "settings.json")
}

// OpenCode returns the directory of OpenCode's configuration.
func (p Place) OpenCode() string {
	if p.Project != "" {
		return filepath.Join(p.Project, ".opencode")
	}
	return filepath.Join(p.xdg(), "opencode")
}
