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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcp-askuser/install/edit"
	"mcp-askuser/internal/plainjson"
	"mcp-askuser/ui/words"
)

// Name is the name of the server in the files of clients.
const Name = "askuser"

// TokenVariable is the variable with the token for a server over HTTP. Files refer to it
// if their client can read variables, so that they contain no secret.
const TokenVariable = "MCP_ASKUSER_TOKEN" //nolint:gosec // a name

// Place locates the files of a user or a project.
type Place struct {
	OS      string // a runtime.GOOS
	Getenv  func(string) string
	Project string // the directory of a project; empty for the user's own files
}

// Home returns the user's home directory.
func (p Place) Home() string { return cmp.Or(p.Getenv("HOME"), p.Getenv("USERPROFILE")) }

// Root returns the directory above all of those files: the project, or the home directory.
func (p Place) Root() string { return cmp.Or(p.Project, p.Home()) }

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
func (p Place) xdg() string {
	return p.dir("XDG_CONFIG_HOME", ".config")
}

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

// limit is a client's time limit for a call. The zero value means that progress messages
// extend it.
type limit struct {
	key      string        // the member of our entry that sets it
	unit     time.Duration // of that
	usual    time.Duration // the default
	variable string        // of the environment, which sets the default
}

// value reads a limit, as a file or a variable has it.
func (l *limit) value(text string) (time.Duration, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return time.Duration(n * float64(l.unit)), err == nil
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

// Registration is our entry in a client's file.
type Registration struct {
	What   string        // the command and its arguments, or the address; empty without an entry
	Remote bool          // it is an address
	Limit  time.Duration // the client's limit for a call; 0 without one
	From   string        // the setting of the limit, where it is not the client's default
	Hold   string        // the value of --hold, or of its variable; empty without both
	Pasted bool          // the user has written it, and no more is known
}

// Registered reads our entry in the client's file.
func (c *Client) Registered(p Place) (Registration, error) {
	if !c.format.Changes() {
		return c.pasted(p)
	}
	entry, err := c.entry(p)
	r := Registration{Limit: c.limit.usual}
	if limit, ok := c.limit.value(c.variable(p, c.limit.variable)); ok {
		r.Limit, r.From = limit, c.limit.variable
	}
	for _, m := range entry {
		list, several := m.Value.([]any)
		if !several {
			list = []any{m.Value}
		}
		switch m.Name {
		case c.limit.key:
			if limit, ok := c.limit.value(fmt.Sprint(m.Value)); ok {
				r.Limit, r.From = limit, c.limit.key
			}
		case "env", "envs", "environment":
			variables, _ := m.Value.(map[string]any)
			r.Hold, _ = variables["ASK_HOLD"].(string)
		case "url", "httpUrl", "serverUrl", "uri", "command", "cmd", "args":
			for _, word := range list {
				r.What = strings.TrimSpace(r.What + " " + fmt.Sprint(word))
			}
			r.Remote = r.Remote || m.Name[0] == 'u' || strings.HasSuffix(m.Name, "Url")
		}
	}
	_, flag, _ := strings.Cut(r.What, "--hold")
	if value := strings.FieldsFunc(flag, func(c rune) bool { return c == ' ' || c == '=' }); len(value) > 0 {
		r.Hold = value[0]
	}
	return r, err
}

// pasted finds our entry in a file that the user changes.
func (c *Client) pasted(p Place) (r Registration, err error) {
	path, err := c.File(p)
	if err != nil {
		return r, err
	}
	now, err := edit.Read(path)
	if err == nil && regexp.MustCompile(`(?m)^\s+`+Name+`:`).Match(now.Before) {
		r.What, r.Pasted = "the pasted entry "+Name, true
	}
	return r, err
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

// variable returns a variable of the client's environment: in its settings, if they have
// one, or in ours.
func (c *Client) variable(p Place, name string) string {
	if c.allowed != nil {
		file, _, _ := c.allowed(p)
		if now, err := edit.Read(file); err == nil {
			if value, found, _ := edit.JSON.Get(now.Before, "env", name); found {
				return fmt.Sprint(value)
			}
		}
	}
	return p.Getenv(name)
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

// Declines returns the setting under which the client declines every form, as text; empty
// where it shows them.
func (c *Client) Declines(p Place) string {
	path, err := c.File(p)
	if err != nil || c.policy.key == "" {
		return ""
	}
	if now, err := edit.Read(path); err == nil && c.declines(p, now.Before) {
		return fmt.Sprintf("%s = %q", c.policy.key, c.policy.declines)
	}
	return ""
}

// declines reports whether a file of the client's has the policy; a project's file has
// that of the user's unless it sets its own.
func (c *Client) declines(p Place, data []byte) bool {
	value, found, err := c.format.Get(data, c.policy.key)
	if p.Project != "" && !found {
		p.Project = ""
		return c.Declines(p) != ""
	}
	return err == nil && c.policy.key != "" && value == any(c.policy.declines)
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
