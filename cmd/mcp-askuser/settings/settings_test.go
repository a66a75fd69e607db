package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"mcp-askuser/internal/fatal"
)

// env looks variables up in a map.
func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

// write writes a configuration file and returns its path.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	fatal.If(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// load reads the file and the environment, and then a flag, if there is one.
func load(vars map[string]string, flag ...string) *Settings {
	s := Load(env(vars))
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	for _, row := range s.Rows {
		s.AddFlags(flags, row.Key)
	}
	if err := flags.Parse(flag); err != nil {
		panic(err)
	}
	return s
}

// What needs a proof only grows: no place allows what another forbids, and a value or a file
// that cannot be understood asks for it.
func TestProveGrows(t *testing.T) {
	for _, tc := range []struct{ file, environment, want string }{
		{"confirm", "none", "confirm"}, {"none", "confirm", "confirm"}, {"confirm", "nothing", "confirm"},
		{"all", "none", "confirm"}, {"none", "all", "confirm"}, {"none\"\n[", "none", "confirm"},
	} {
		got := load(map[string]string{EnvFile: write(t, "prove = \""+tc.file+"\"\n"), "ASK_PROVE": tc.environment})
		if got.Values.Prove != tc.want {
			t.Errorf("%s in the file, %s in the environment: %s", tc.file, tc.environment, got.Values.Prove)
		}
	}
}

// A setting of every type can be given in every place, and the order of the places is
// flag, environment, file, default.
func TestOrder(t *testing.T) {
	for _, tc := range []struct{ key, variable, flag, environment, file string }{
		{"max_questions", "ASK_MAX_QUESTIONS", "7", "6", "5"},
		{"session", "ASK_SESSION", "c", "b", `"a"`},
		{"surface", "ASK_SURFACE", "tty", "inbox", `"auto"`},
		{"timeout", "ASK_TIMEOUT", "7s", "6s", `"5s"`},
		{"hold", "ASK_HOLD", "7s", "6s", "5"}, // seconds
		{"dir", "MCP_ASKUSER_DIR", "/c", "/b", `"/a"`},
		{"keep_history", "ASK_KEEP_HISTORY", "7d", "36h", `"2d"`},
		{"notify_command", "ASK_NOTIFY_COMMAND", `["c"]`, `["b"]`, `["a"]`},
		{"accessible", "ACCESSIBLE", "false", "true", "false"},
	} {
		path := write(t, tc.key+" = "+tc.file+"\n")
		name := "--" + strings.ReplaceAll(tc.key, "_", "-")
		for _, want := range []struct {
			flags, environment string
			from, source, text string
		}{
			{name + "=" + tc.flag, tc.environment, FromFlag, name, tc.flag},
			{"", tc.environment, FromEnvironment, tc.variable, tc.environment},
			{"", "", FromFile, path, strings.Trim(tc.file, `"`)},
		} {
			got := load(map[string]string{EnvFile: path, tc.variable: want.environment}, strings.Fields(want.flags)...)
			fatal.If(t, got.Err())
			for _, s := range got.Rows {
				if s.Key == tc.key && (s.From != want.from || s.Source != want.source || s.Value != want.text) {
					t.Errorf("%s: got %v from %s %s, want %+v", tc.key, s.Value, s.From, s.Source, want)
				}
			}
		}
	}
}

// A bad value names itself, where it comes from and what is allowed; all
// faults come at once.
func TestFaults(t *testing.T) {
	path := write(t, `# mine
max_option = 5
max_options = 1
surface = ["tty", "fax"]
ASK-TIMEOUT = 3
notify_command = "ring"
accessible = "perhaps"
on_timeout = 1.5
ui.colour = "red"

[remind]
every = 3

[[hooks]]
x = 1
`)
	got := load(map[string]string{EnvFile: path, "ASK_TIMEOUT": "soon", "MCP_ASKUSER_DIR": "here"}, "--max-rounds=-1")
	want := []string{
		"Bad settings",
		path + ": \"ASK-TIMEOUT\" is no setting; mcp-askuser config lists them all",
		path + ": \"hooks\" is no setting; mcp-askuser config lists them all",
		path + ": \"max_option\" is no setting; mcp-askuser config lists them all",
		path + ": \"ui\" is no setting; mcp-askuser config lists them all",
		path + ": max_options is \"1\"; it takes a whole number, 2 or more",
		"--max-rounds is \"-1\"; it takes a whole number, 0 or more",
		path + ": surface is [\"tty\",\"fax\"]; it takes auto, or one or more of elicit, tty, pane, inbox, web, plain in " +
			"order",
		"ASK_TIMEOUT is \"soon\"; it takes seconds or a time such as 90s, 10m or 3d, up to 365d, 0 for none",
		path + ": on_timeout is \"1.5\"; it takes none or default",
		"MCP_ASKUSER_DIR is \"here\"; it takes an absolute path",
		path + ": notify_command is \"ring\"; it takes a program and its arguments such as [\"notify-send\", \"A question\"]",
		path + ": remind is \"map[every:3]\"; it takes seconds or a time such as 90s, 10m or 3d, up to 365d, 0 for none",
		path + ": accessible is \"perhaps\"; it takes true or false",
	}
	if err := got.Err(); err == nil || err.Error() != strings.Join(want, "\n- ") {
		t.Errorf("got\n%v\nwant\n%s", err, strings.Join(want, "\n- "))
	}
	if got.Values.Limits.Options != 4 || got.Values.MaxRounds != 10 || got.Values.Timeout != 0 {
		t.Errorf("a bad value is in effect: %+v", got.Values)
	}
}

// A value that is in effect makes up for a bad one that is not.
func TestBadValueOfLessWeight(t *testing.T) {
	path := write(t, "timeout = \"soon\"\n")
	if err := load(map[string]string{EnvFile: path, "ASK_TIMEOUT": "later"}, "--timeout", "3s").Err(); err != nil {
		t.Error(err)
	}
}

func TestFileThatCannotBeRead(t *testing.T) {
	broken := write(t, "max_options = 5\nsurface = [\n")
	for _, tc := range []struct {
		name, file, want string
		found            bool
	}{
		{"no TOML", broken, broken + ":", true},
		{"twice", write(t, "keep = 5\nkeep = 6\n"), ":2 is not TOML: ", true},
		{"missing", filepath.Join(t.TempDir(), "none.toml"), "no such file", false},
		{"a directory", t.TempDir(), "not a regular file", true},
		{"relative", "config.toml", `MCP_ASKUSER_CONFIG is "config.toml"; it takes an absolute path`, false},
	} {
		s := load(map[string]string{EnvFile: tc.file})
		if err := s.Err(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %s", tc.name, err, tc.want)
		}
		if s.Found != tc.found {
			t.Errorf("%s: found %v", tc.name, s.Found)
		}
	}
}

func TestFilePath(t *testing.T) {
	for _, tc := range []struct {
		vars map[string]string
		want string
	}{
		{map[string]string{EnvFile: "/a/../b.toml", "HOME": "/home/x"}, "/b.toml"},
		{map[string]string{"XDG_CONFIG_HOME": "/c", "HOME": "/home/x"}, "/c/mcp-askuser/config.toml"},
		{map[string]string{"XDG_CONFIG_HOME": "relative"}, ""},
		{nil, ""},
	} {
		if got, err := filePath(env(tc.vars)); err != nil || got != tc.want {
			t.Errorf("%v: got %q, %v, want %q", tc.vars, got, err, tc.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90": 90 * time.Second, "1m30s": 90 * time.Second, "3d": 72 * time.Hour, "1d12h": 36 * time.Hour,
		"1w2d3h": 219 * time.Hour, "": -1, "-5s": -1, "9999999999999": -1, // -1 is no duration
	} {
		if got, ok := Duration(text); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: got %v, %v", text, got, ok)
		}
	}
}
