package install

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mcp-askuser/install/edit"
	"mcp-askuser/internal/plainjson"
	"mcp-askuser/ui/words"
)

// Name is the name of the server in the files of clients.
const Name = "askuser"

// TokenVariable is the variable with the token for a server over HTTP. Files refer to it
// if their client can read variables, so that they contain no secret.
const TokenVariable = "MCP_ASKUSER_TOKEN" //nolint:gosec // a name

// Server is this program, as clients start it or connect to it.
type Server struct {
	Command string
	Where   []string // the flags that name its desk, if it is not the default
	URL     string   // instead of a command
	Token   string   // with URL, if the client's file cannot refer to a variable
}

// args returns the arguments of the command: how long a call may wait, and the desk.
func (s Server) args(hold string) []string {
	args := []string{}
	if hold != "" || len(s.Where) > 0 {
		args = append(args, "serve")
	}
	if hold != "" {
		args = append(args, "--hold", hold)
	}
	return append(args, s.Where...)
}

// Client is a program that starts MCP servers.
type Client struct {
	Name    string // on the command line
	Restart string // when a change takes effect
	Bare    bool   // our program does not inherit its environment

	program string             // its name in PATH; empty without one, which is never found
	format  edit.Format        // zero: its file is YAML, into which the user pastes our lines
	user    func(Place) string // the path of its file
	project string             // the same below a project; empty without one
	path    []string           // to the servers in the file
	local   func(Server) edit.Object
	remote  func(Server) edit.Object // nil if it only starts programs
	// reference refers to TokenVariable in the file; empty if that cannot.
	reference string
	limit     limit
	policy    policy
	// allowed locates our entry in a list of tools that need no permission.
	allowed func(Place) (file string, path []string, entry string)
}

// policy is the setting under which a client declines every form.
type policy struct {
	key      string      // empty without one
	declines string      // the value
	shows    edit.Object // the value that asks for no approval either, and shows forms
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
	if _, err := exec.LookPath(c.program); err == nil {
		return true
	}
	path, err := c.File(p)
	if err != nil {
		return false
	}
	if _, err := os.Stat(path); err == nil {
		return true
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	return err == nil && info.IsDir() && dir != p.Home()
}

// Lines are what the user adds to the client's file, or takes out of it, where that is not
// changed; empty for all other clients. Values in JSON are YAML.
func (c *Client) Lines(s Server) (string, error) {
	if c.format.Changes() {
		return "", nil
	}
	entry, err := c.newEntry(s, "it")
	if err != nil {
		return "", err
	}
	var lines strings.Builder
	lines.WriteString(c.path[0] + ":\n  " + Name + ":\n")
	for _, m := range entry {
		value, err := plainjson.Marshal(m.Value)
		if err != nil {
			return "", err
		}
		lines.WriteString("    " + m.Name + ": " + string(value) + "\n")
	}
	return lines.String(), nil
}

// form returns an entry of ours without values: of an address, or of a command.
func (c *Client) form(remote bool) edit.Object {
	if remote {
		return c.remote(Server{})
	}
	return c.local(Server{})
}

// SetsLimit reports whether our entry sets the client's limit for a call.
func (c *Client) SetsLimit(remote bool) bool {
	return slices.ContainsFunc(c.form(remote), func(m edit.Member) bool { return m.Name == c.limit.key })
}

// entry returns our entry in the client's file, its members in the order in which we
// write them.
func (c *Client) entry(p Place) (edit.Object, error) {
	path, err := c.File(p)
	if err != nil {
		return nil, err
	}
	now, err := edit.Read(path)
	if err != nil {
		return nil, err
	}
	v, _, err := c.format.Get(now.Before, c.at()...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	members, _ := v.(map[string]any)
	remote := c.remote != nil && members["command"] == nil && members["cmd"] == nil
	var out edit.Object
	for _, m := range c.form(remote) {
		if value, ok := members[m.Name]; ok {
			out = append(out, edit.Member{Name: m.Name, Value: value})
			delete(members, m.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		out = append(out, edit.Member{Name: name, Value: members[name]})
	}
	return out, nil
}

// own returns the members of our entry that the user has added, such as an environment.
// An entry that changes between a command and an address keeps none.
func (c *Client) own(entry edit.Object, remote bool) edit.Object {
	named := func(o edit.Object, names ...string) bool {
		return slices.ContainsFunc(o, func(m edit.Member) bool { return slices.Contains(names, m.Name) })
	}
	if remote == named(entry, "command", "cmd") {
		return nil
	}
	form := c.form(remote)
	return slices.DeleteFunc(entry, func(m edit.Member) bool { return named(form, m.Name) })
}

// at returns the path of our entry in the client's file.
func (c *Client) at() []string { return append(slices.Clip(c.path), Name) }

// newEntry is an entry of ours, for a file.
func (c *Client) newEntry(s Server, path string) (edit.Object, error) {
	if s.URL == "" {
		return c.local(s), nil
	}
	if c.remote == nil {
		return nil, fmt.Errorf("%s only starts programs: it has no servers at an address", c.Title())
	}
	s.Token = cmp.Or(s.Token, c.reference)
	if s.Token == "" {
		return nil, fmt.Errorf("%[1]s has no way to take the token from the environment: set %[2]s and it is written into %[3]s", c.Title(), TokenVariable, path)
	}
	return c.remote(s), nil
}

// Plan returns the changes that register s with the client, or undo that. With forms,
// a policy that declines forms becomes the one that shows them; undoing restores it. The
// error names the file.
func (c *Client) Plan(p Place, s Server, forms, out bool) ([]edit.Change, error) {
	path, err := c.File(p)
	if err != nil {
		return nil, err
	}
	now, err := c.entry(p)
	if err != nil {
		return nil, err
	}
	var entry edit.Object
	if !out {
		entry, err = c.newEntry(s, path)
		if err != nil {
			return nil, err
		}
		entry = append(entry, c.own(now, s.URL != "")...)
	}
	main, err := c.format.Plan(path, out,
		func(data []byte) ([]byte, error) {
			data, err := c.format.Set(data, entry, c.at()...)
			if err != nil || !forms || !c.declines(p, data) {
				return data, err
			}
			return c.format.Set(data, c.policy.shows, c.policy.key)
		},
		func(data, before []byte) ([]byte, error) {
			data, err := c.format.Remove(data, c.at()...)
			if err != nil || !c.declines(p, before) {
				return data, err
			}
			ours, err := c.format.Set(data, c.policy.shows, c.policy.key)
			if err != nil || !bytes.Equal(ours, data) { // the user has set another policy since
				return data, err
			}
			policy, found, err := c.format.Get(before, c.policy.key)
			if err != nil || !found {
				return c.format.Remove(data, c.policy.key)
			}
			return c.format.Set(data, policy, c.policy.key)
		})
	if err != nil || c.allowed == nil {
		return []edit.Change{main}, err
	}
	permission, err := c.allow(p, out)
	return []edit.Change{main, permission}, err
}

// allow returns the change to the list of tools that need no permission.
func (c *Client) allow(p Place, out bool) (edit.Change, error) {
	file, path, entry := c.allowed(p)
	place := func(data []byte) (int, error) {
		list, _, err := edit.JSON.Get(data, path...)
		elements, _ := list.([]any)
		return slices.Index(elements, any(entry)), err
	}
	return edit.JSON.Plan(file, out,
		func(data []byte) ([]byte, error) {
			at, err := place(data)
			if err != nil || at >= 0 {
				return data, err
			}
			return edit.Append(data, entry, path...)
		},
		func(data, _ []byte) ([]byte, error) {
			at, err := place(data)
			if err != nil || at < 0 {
				return data, err
			}
			return edit.JSON.Remove(data, append(slices.Clip(path), strconv.Itoa(at))...)
		})
}
