package install

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"mcp-askuser/internal/plainjson"
	"mcp-askuser/ui/words"
)

// Name is the name of the server in the files of clients.
const Name = "askuser"

// Server is this program, as clients start it.
type Server struct {
	Command string
	Where   []string // the flags that name its desk, if it is not the default
}

// entry is a server in the file of a client.
type entry = map[string]any

// Client is a program that starts MCP servers.
type Client struct {
	Name    string // on the command line
	Restart string // when a change takes effect

	program string  // its name in PATH; empty without one, which is never found
	format  *format // of its file
	user    func(Place) string
	project string   // the path of its file below a project; empty without one
	path    []string // to the servers in the file; each element is one key, dots included
	hold    string   // how long a call may wait; empty for as long as its host allows by itself
	local   entry    // what an entry has beside the command
	command string   // the key of the command, where that is not "command"
	oneList bool     // the command and its arguments are one list
	// questions returns the file that brings its own questions here; nil if they cannot be.
	questions func(Place) file
}

// Title returns its name for people.
func (c *Client) Title() string { return words.English.ClientName(c.Name) }

// ByName returns a client.
func ByName(name string) (Client, bool) {
	all := Clients()
	i := slices.IndexFunc(all, func(c Client) bool { return c.Name == name })
	if i < 0 {
		return Client{}, false
	}
	return all[i], true
}

// Names returns the names of all clients, in order.
func Names() []string {
	var out []string
	for _, c := range Clients() {
		out = append(out, c.Name)
	}
	return out
}

// File returns the path of the file with the client's servers.
func (c *Client) File(p Place) (string, error) {
	if p.Project != "" {
		if c.project == "" {
			return "", fmt.Errorf("%s has no servers of a project; without --project it is the user's", c.Title())
		}
		return filepath.Join(p.Project, filepath.FromSlash(c.project)), nil
	}
	if !filepath.IsAbs(p.Home()) {
		return "", errors.New("there is no home directory (HOME); use --project for the files of this directory")
	}
	return c.user(p), nil
}

// Found reports whether the client seems to be installed: its file exists, or the
// directory for it alone, or it is in PATH.
func (c *Client) Found(p Place) bool {
	_, err := exec.LookPath(c.program)
	if err == nil {
		return true
	}
	path, err := c.File(p)
	if err != nil {
		return false
	}
	dir := filepath.Dir(path)
	if dir == p.Home() { // which is no sign
		dir = path
	}
	_, err = os.Stat(dir)
	return err == nil
}

// at returns the path of our entry in the client's file.
func (c *Client) at() []string { return append(slices.Clip(c.path), Name) }

// read returns a value in a file of a client's, nil if it has none.
func (f *format) read(path string, at ...string) (any, error) {
	now, err := open(path)
	if err != nil {
		return nil, err
	}
	value, err := f.get(now.Before, at...)
	if err != nil {
		err = fmt.Errorf("%s: %w", now.Path, err)
	}
	return value, err
}

// entry is our entry for a server: the command with its arguments, which are how long a call may
// wait, and the desk. It keeps what the user has added to the old one, such as an environment, if
// that starts a program too.
func (c *Client) entry(s Server, old entry) entry {
	all := entry{}
	if old["command"] != nil {
		maps.Copy(all, old)
	}
	args := []string{}
	if c.hold != "" || len(s.Where) > 0 {
		args = append(args, "serve")
	}
	if c.hold != "" {
		args = append(args, "--hold", c.hold)
	}
	args = append(args, s.Where...)
	key := cmp.Or(c.command, "command")
	if c.oneList {
		all[key] = append([]string{s.Command}, args...)
	} else {
		all[key], all["args"] = s.Command, args
	}
	maps.Copy(all, c.local)
	return all
}

// Pasted reports whether the client's file is left to the user, who pastes our lines.
func (c *Client) Pasted() bool { return c.format == yaml }

// Lines are what the user adds to a client's file that is not changed. JSON is YAML.
func (c *Client) Lines(s Server) (string, error) {
	lines := c.entry(s, nil)
	if !c.Pasted() {
		text, err := c.format.set(nil, lines, c.at())
		return string(text), err
	}
	value, err := plainjson.Marshal(lines)
	return fmt.Sprintf("%s:\n  %s: %s\n", c.path[0], Name, value), err
}
