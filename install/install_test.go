package install

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	yamlfile "go.yaml.in/yaml/v4"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/golden"
)

var (
	local = Server{Command: "/opt/bin/mcp-askuser"}
	afar  = Server{Command: "/opt/bin/mcp-askuser", Where: []string{"--desk", "nats://desk:4222", "--desk-creds",
		"/home/ada/bot.creds", "--desk-ca", "/home/ada/ca.pem"}}
)

// others is a file of each kind as people have them: servers of others, remarks,
// odd formatting.
func others(c *Client) string {
	in := func(text string) string { return strings.ReplaceAll(text, "SERVERS", c.path[0]) }
	if c.Name == "codex" {
		return in("# mine\nmodel = 'x'   # the best\n\n[SERVERS.files]\ncommand = \"files\"\nargs = [ \"-v\", " +
			"]\n[SERVERS.files.env]\nA = 'b'\n\n\n# the end\n[tui]\nnotifications = true")
	}
	return in("{\n\t// mine\n\t\"theme\": \"dark\" ,\n\t\"SERVERS\": {\n\t\t\"files\": { \"command\": \"files\", " +
		"\"args\": [ \"-v\" ] }, // one\n\t},\n\t\"last\": [1,2 ]}\n")
}

func place(t *testing.T, system, project string) Place {
	home := t.TempDir()
	env := map[string]string{"HOME": home, "LOCALAPPDATA": filepath.Join(home, "AppData", "Local"),
		"APPDATA": filepath.Join(home, "AppData", "Roaming")}
	return Place{OS: system, Getenv: func(name string) string { return env[name] }, Project: project}
}

// Every client's file, empty and not, of the user and of a project: the entry equals the golden file
// and can be read back; a second installation changes nothing; uninstalling restores every byte, also
// after an installation of another program.
func TestClients(t *testing.T) {
	var all strings.Builder
	for _, c := range Clients() {
		if c.format == yaml {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			all.WriteString(c.Title() + "\n\n" + round(t, &c, place(t, "linux", ""), local, others(&c)))
			if c.Name == "claude-code" || c.format == tomlFile {
				all.WriteString(round(t, &c, place(t, "linux", ""), afar, ""))
			}
			if c.project != "" {
				all.WriteString("In a project:\n" + round(t, &c, place(t, "linux", t.TempDir()), local, ""))
			}
		})
	}
	golden.Check(t, "clients.golden", all.String())
}

// round registers, registers again and takes out, and returns the changes as
// shown.
func round(t *testing.T, c *Client, p Place, s Server, before string) string {
	t.Helper()
	path, err := c.File(p)
	fatal.If(t, err)
	if before != "" {
		fatal.If(t, writeFile(path, before))
	}
	var shown strings.Builder
	steps := plan(t, c, p, s, false)
	for _, step := range steps {
		root := p.Home()
		if p.Project != "" {
			root = p.Project
		}
		name, err := filepath.Rel(root, step.Path)
		fatal.If(t, err)
		shown.WriteString("~/" + filepath.ToSlash(name) + "\n" + step.Diff() + "\n")
		fatal.If(t, step.Apply())
	}
	for _, step := range plan(t, c, p, s, false) {
		if !step.Empty() {
			t.Errorf("a second time it changes\n%s", step.Diff())
		}
	}
	if got, err := c.Registered(p); err != nil || !strings.HasPrefix(got.What, s.Command) {
		t.Errorf("registered as %q, %v", got.What, err)
	}
	moved := s
	moved.Command += "2"
	for _, step := range plan(t, c, p, moved, false) {
		fatal.If(t, step.Apply())
	}
	register(t, c, p, true)
	got, err := os.ReadFile(path)
	if string(got) != before || (before == "") != os.IsNotExist(err) {
		t.Errorf("restored to\n%q, want\n%q, %v", got, before, err)
	}
	_ = filepath.WalkDir(filepath.Dir(path), func(path string, _ os.DirEntry, _ error) error {
		if strings.HasSuffix(path, backupSuffix) {
			t.Errorf("left behind: %s", path)
		}
		return nil
	})
	return shown.String()
}

func plan(t *testing.T, c *Client, p Place, s Server, out bool) []Change {
	t.Helper()
	steps, err := c.Plan(p, Options{Server: s, Hook: []string{s.Command, "hook", c.Name}}, out)
	fatal.If(t, err)
	return steps
}

// client returns the client of this name, and a place in which its file has a text.
func client(t *testing.T, name, text string) (c *Client, p Place, path string) {
	t.Helper()
	found, _ := ByName(name)
	p = place(t, "linux", "")
	path, err := found.File(p)
	fatal.If(t, errors.Join(err, writeFile(path, text)))
	return &found, p, path
}

func writeFile(path, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o640))
}

// register writes our entry into the files of a client, or takes it out.
func register(t *testing.T, c *Client, p Place, out bool) {
	t.Helper()
	for _, change := range plan(t, c, p, local, out) {
		fatal.If(t, change.Apply())
	}
}

// Where each client's file is on each system.
func TestFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths of other systems are written with slashes")
	}
	var all strings.Builder
	for _, system := range []string{"linux", "darwin", "windows"} {
		p := place(t, system, "")
		for _, c := range Clients() {
			path, err := c.File(p)
			fatal.If(t, err)
			all.WriteString(system + " " + c.Name + " " + strings.TrimPrefix(path, p.Home()+"/") + "\n")
		}
	}
	golden.Check(t, "files.golden", all.String())
}

// The home directory is no sign of a client that has its file there, however it is written.
func TestFound(t *testing.T) {
	t.Setenv("PATH", "")
	home := t.TempDir()
	c, _ := ByName("claude-code")
	if c.Found(Place{Getenv: func(name string) string { return map[string]string{"HOME": home + "/"}[name] }}) {
		t.Error("it was found")
	}
}

// Gemini CLI starts only the servers of its list, where it has one.
func TestAllowed(t *testing.T) {
	for text, hindered := range map[string]bool{`null`: false, `["x"]`: true, `["x","askuser"]`: false} {
		c, p, _ := client(t, "gemini", strings.Replace(`{"mcp":{"allowed":[]}}`, "[]", text, 1))
		if name, _ := c.Obstacle(p, false); (name != "") != hindered {
			t.Errorf("%s: %s", text, name)
		}
	}
}

// An entry of a program under another name is known for ours: no backup is made of it.
func TestRenamedProgram(t *testing.T) {
	c, p, path := client(t, "cursor", "")
	fatal.If(t, os.Remove(path))
	s := Server{Command: "/opt/bin/ask"}
	for _, s.Where = range [][]string{nil, {"--dir", "/srv"}} {
		fatal.If(t, plan(t, c, p, s, false)[0].Apply())
	}
	fatal.If(t, plan(t, c, p, s, true)[0].Apply())
	if left, err := os.ReadFile(path); err == nil {
		t.Errorf("left behind: %s", left)
	}
}

// What its user has added to our entry stays when it is brought up to date.
func TestOwnMembers(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"codex": {
			"[mcp_servers.askuser]\ncommand = \"old\"\nstartup_timeout_sec = 20\n[mcp_servers.askuser.env]\nASK_HOLD = " +
				"\"10m\"\n",
			"[mcp_servers.askuser]\nargs = ['serve', '--hold', '24h']\ncommand = '/opt/bin/mcp-askuser'\nenv = {ASK_HOLD = " +
				"'10m'}\nstartup_timeout_sec = 20\ntool_timeout_sec = 86400\n",
		},
		"cursor": {
			`{"mcpServers": {"askuser": {"command": "old", "env": {"ASK_TIMEOUT": "10m"}}}}`,
			`{"args":[],"command":"/opt/bin/mcp-askuser","env":{"ASK_TIMEOUT":"10m"}}`,
		},
		"vscode": { // another kind of server
			`{"servers": {"askuser": {"url": "https://old", "dev": {}}}}`,
			`{"args":[],"command":"/opt/bin/mcp-askuser","type":"stdio"}`,
		},
	} {
		c, p, _ := client(t, name, tc.in)
		after := plan(t, c, p, local, false)[0].After
		got := string(after)
		if c.format == jsonFile {
			value, _ := jsonFile.get(after, c.at()...)
			text, _ := json.Marshal(value)
			got = string(text)
		}
		if got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tc.want)
		}
	}
}

// A client whose file is YAML gets lines to paste, which YAML reads as our entry.
func TestLinesToPaste(t *testing.T) {
	c, _ := ByName("goose")
	lines, err := c.Lines(local)
	fatal.If(t, err)
	var read map[string]map[string]map[string]any
	if err := yamlfile.Unmarshal([]byte(lines), &read); err != nil || read["extensions"][Name]["type"] == nil {
		t.Errorf("%v: %s", err, lines)
	}
	_, p, _ := client(t, "goose", lines)
	if r, err := c.Registered(p); err != nil || !strings.HasPrefix(r.What, "the pasted entry") {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := c.Registered(place(t, "linux", "")); err != nil || r.What != "" {
		t.Errorf("without a file: %+v, %v", r, err)
	}
	other, _ := ByName("codex")
	if lines, err := other.Lines(local); !strings.HasPrefix(lines, "[mcp_servers.askuser]\n") || err != nil {
		t.Errorf("%s, %v", lines, err)
	}
}

// A configuration that is no regular file is refused at once, as to open a named pipe is to
// wait for its writer; so is a link that leads nowhere. Each is named.
func TestNoRegularFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no named pipes there")
	}
	for file, says := range map[string]string{".pipe": "this is no regular file", "": "too many links"} {
		c, p, path := client(t, "cursor", "{}")
		fatal.If(t, errors.Join(exec.Command("mkfifo", path+".pipe").Run(), os.Remove(path), os.Symlink(path+file, path)))
		for _, out := range []bool{false, true} {
			_, err := c.Plan(p, Options{Server: local}, out)
			if err == nil || !strings.Contains(err.Error(), path+file+": ") || !strings.Contains(err.Error(), says) {
				t.Errorf("out %v: %v", out, err)
			}
		}
	}
}

// A file that its user has changed since keeps that change, and no backup is left but that of another
// file whose name begins alike.
func TestChangedSince(t *testing.T) {
	c, p, path := client(t, "cursor", "{\n\t\"a\": 1}\n")
	fatal.If(t, writeFile(path+"c"+backupSuffix, "mine"))
	register(t, c, p, false)
	data, err := os.ReadFile(path)
	fatal.If(t, errors.Join(err, writeFile(path, "// mine\n"+string(data))))
	register(t, c, p, true)
	got, _ := os.ReadFile(path)
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if string(got) != "// mine\n{\n\t\"a\": 1\n}\n" || !slices.Equal(left, []string{path, path + "c" + backupSuffix}) {
		t.Errorf("%q, and the files %q", got, left)
	}
}

// What changes between the plan and the write is not lost.
func TestChangedMeanwhile(t *testing.T) {
	c, p, path := client(t, "cursor", "{}")
	change := plan(t, c, p, local, false)[0]
	fatal.If(t, writeFile(path, `{"a":1}`))
	if err := change.Apply(); err == nil {
		t.Error("a change in between was overwritten")
	}
}

// A server of another program that has our name comes back when ours is taken out. An earlier
// entry of ours does not.
func TestEntryOfTheSameName(t *testing.T) {
	for before, back := range map[string]bool{
		`{"mcpServers": {"askuser": {"command": "npx", "args": ["ask"]}}}`: true,
		`{"mcpServers": {"askuser": {"command": "/old/mcp-askuser"}}}`:     false,
	} {
		c, p, path := client(t, "cursor", before)
		register(t, c, p, false)
		register(t, c, p, true)
		got, _ := os.ReadFile(path)
		if (string(got) == before) != back {
			t.Errorf("%s became %q", before, got)
		}
	}
}

// Our lines are for the file with the servers: a fault in another one is named alone.
func TestLinesOfTheRightFile(t *testing.T) {
	c, _ := ByName("claude-code")
	for file, want := range map[string]bool{".claude.json": true, ".claude/settings.json": false} {
		p, file := place(t, "linux", ""), filepath.FromSlash(file)
		fatal.If(t, writeFile(filepath.Join(p.Home(), file), `{"mcpServers": [], "permissions": []}`))
		_, err := c.Plan(p, Options{Server: local}, false)
		if err == nil || strings.Contains(err.Error(), "our lines") != want || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", file, err)
		}
	}
}
