package edit

import (
	"fmt"
	"strings"
	"testing"
)

var server = Object{{"command", "/opt/a b/mcp-askuser"}, {"args", []string{"serve", "--hold", "24h"}}, {"timeout", 600}, {"on", true}}

func TestSet(t *testing.T) {
	for _, tc := range []struct {
		name string
		f    Format
		path string
		in   string
		want string
	}{
		{"json: no file", JSON, "mcpServers.askuser", "", `{
  "mcpServers": {
    "askuser": {
      "command": "/opt/a b/mcp-askuser",
      "args": [
        "serve",
        "--hold",
        "24h"
      ],
      "timeout": 600,
      "on": true
    }
  }
}
`},
		{"json: one line", JSON, "mcp.askuser", "{\"mcp\": {\"other\": {}}} // mine\n", `{"mcp": {"other": {}, "askuser": {"command":"/opt/a b/mcp-askuser","args":["serve","--hold","24h"],"timeout":600,"on":true}}} // mine` + "\n"},
		{"json: remarks, tabs, trailing commas", JSON, "s.askuser", "{\n\t// first\n\t\"s\": {\n\t\t\"b\": 1, // one\n\t},\n}\n",
			"{\n\t// first\n\t\"s\": {\n\t\t\"b\": 1,\n\t\t\"askuser\": {\n\t\t\t\"command\": \"/opt/a b/mcp-askuser\",\n\t\t\t\"args\": [\n\t\t\t\t\"serve\",\n\t\t\t\t\"--hold\",\n\t\t\t\t\"24h\"\n\t\t\t],\n\t\t\t\"timeout\": 600,\n\t\t\t\"on\": true\n\t\t}, // one\n\t},\n}\n"},
		{"json: a last line that does not end", JSON, "s.askuser", "{\"s\": {}} // mine", `{"s": {"askuser": {"command":"/opt/a b/mcp-askuser","args":["serve","--hold","24h"],"timeout":600,"on":true}}} // mine`},
		{"json: replaced", JSON, "s.askuser", "{\"s\": {\"askuser\": {\"a\": 1} /* ours */, \"b\": 1}}", `{"s": {"askuser": {"command":"/opt/a b/mcp-askuser","args":["serve","--hold","24h"],"timeout":600,"on":true} /* ours */, "b": 1}}`},
		{"toml: no file", TOML, "mcp_servers.askuser", "", `[mcp_servers.askuser]
command = "/opt/a b/mcp-askuser"
args = ["serve","--hold","24h"]
timeout = 600
on = true
`},
		{"toml: behind the others", TOML, "mcp_servers.ask user", "model = \"x\" # mine\n\n[mcp_servers.b]\ncommand = 'b'", `model = "x" # mine

[mcp_servers.b]
command = 'b'

[mcp_servers."ask user"]
command = "/opt/a b/mcp-askuser"
args = ["serve","--hold","24h"]
timeout = 600
on = true
`},
		{"toml: replaced", TOML, "m.askuser", "[m.askuser]\ncommand = \"old\"\n[m.askuser.env]\nA = \"b\"\n\n# of b\n[m.b]\nx = 1\n", `# of b
[m.b]
x = 1

[m.askuser]
command = "/opt/a b/mcp-askuser"
args = ["serve","--hold","24h"]
timeout = 600
on = true
`},
		{"yaml: no file", YAML, "extensions.askuser", "", `extensions:
  askuser:
    command: /opt/a b/mcp-askuser
    args:
      - serve
      - --hold
      - 24h
    timeout: 600
    on: true
`},
		{"yaml: between others", YAML, "extensions.askuser", "# mine\nextensions:\n    b:\n        cmd: b # runs b\n\n# last\nGOOSE_MODE: auto\n", `# mine
extensions:
    b:
        cmd: b # runs b
    askuser:
      command: /opt/a b/mcp-askuser
      args:
        - serve
        - --hold
        - 24h
      timeout: 600
      on: true

# last
GOOSE_MODE: auto
`},
		{"yaml: nothing behind the key", YAML, "extensions.askuser", "a: 1\nextensions:\nb: 2", `a: 1
extensions:
  askuser:
    command: /opt/a b/mcp-askuser
    args:
      - serve
      - --hold
      - 24h
    timeout: 600
    on: true
b: 2`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := strings.Split(tc.path, ".")
			got, err := tc.f.Set([]byte(tc.in), server, path...)
			if err != nil || string(got) != tc.want {
				t.Fatalf("%v\n got:\n%s\nwant:\n%s", err, got, tc.want)
			}
			again, err := tc.f.Set(got, server, path...)
			if err != nil || string(again) != tc.want {
				t.Errorf("set again: %v\n%s", err, again)
			}
			gone, err := tc.f.Remove(got, path...)
			if _, found, wrong := tc.f.Get(gone, path...); err != nil || wrong != nil || found {
				t.Errorf("removed: %v, %v\n%s", err, wrong, gone)
			}
		})
	}
}

// What cannot be changed in place is not changed.
func TestSetRefuses(t *testing.T) {
	for _, tc := range []struct {
		name string
		f    Format
		in   string
		says string
	}{
		{"json: broken", JSON, `{"a":`, "not JSON"},
		{"json: a list", JSON, `[]`, "no JSON object"},
		{"json: twice", JSON, `{"a": {"b": {}, "b": {}}}`, "a.b: this stands there twice"},
		{"json: something else on the way", JSON, `{"a": 1}`, "a: this is no JSON object"},
		{"toml: broken", TOML, "a = ", "not TOML"},
		{"toml: one line", TOML, "a = {c = 1}\n", "cannot be changed safely"},
		{"yaml: broken", YAML, "a: [", "not YAML"},
		{"yaml: a list", YAML, "- a\n", "no YAML mapping"},
		{"yaml: one line", YAML, "a: {c: 1}\n", "not written line by line"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, err := tc.f.Set([]byte(tc.in), server, "a", "b"); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%v, want %q\n%s", err, tc.says, got)
			}
		})
	}
}

func TestAppend(t *testing.T) {
	for in, want := range map[string]string{
		bom:                                    "{\n  \"p\": {\n    \"allow\": [\n      \"x\"\n    ]\n  }\n}\n",
		``:                                     "{\n  \"p\": {\n    \"allow\": [\n      \"x\"\n    ]\n  }\n}\n",
		`{"p": {"allow": ["a"]}}`:              `{"p": {"allow": ["a", "x"]}}`,
		"{\n \"p\": {\"allow\": [\"a\"]}\n}\n": "{\n \"p\": {\"allow\": [\"a\", \"x\"]}\n}\n",
	} {
		got, err := Append([]byte(in), "x", "p", "allow")
		if err != nil || string(got) != want {
			t.Errorf("%v\n got %q\nwant %q", err, got, want)
		}
	}
}

// Whatever the file: what is there besides stays, and what is set can be read
// and taken out again.
func FuzzSet(f *testing.F) {
	for _, seed := range []string{"", "{}", "{\"a\":{\"c\":[1,2,],},}", "a:\n  c: 1\n", "[a.c]\nx=1\n", "a:\r\n- 1\r\n", "# x\n", "[a]\nb.c=1", "a: &x\n b: *x\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, format := range []Format{JSON, TOML, YAML} {
			before, _, err := format.Get([]byte(in))
			if err != nil {
				continue
			}
			out, err := format.Set([]byte(in), server, "zz", "askuser")
			if err != nil {
				continue
			}
			after, _, err := format.Get(out)
			if err != nil {
				t.Fatalf("%q became %q: %v", in, out, err)
			}
			if _, had, _ := format.Get([]byte(in), "zz"); had {
				continue
			}
			rest, err := format.Remove(out, "zz", "askuser")
			if err != nil {
				t.Fatalf("%q: %v", out, err)
			}
			left, _, err := format.Get(rest)
			if err != nil || before != nil && fmt.Sprint(left) != fmt.Sprint(before) && fmt.Sprint(before) != "map[]" || !contains(after, before) {
				t.Fatalf("%q became %q, then %q: %v", in, out, rest, err)
			}
		}
	})
}

func contains(after, before any) bool {
	b, _ := before.(map[string]any)
	a, _ := after.(map[string]any)
	for name, v := range b {
		if fmt.Sprint(a[name]) != fmt.Sprint(v) {
			return false
		}
	}
	return true
}

// Remarks around what is taken out are not ours.
func TestRemoveKeepsRemarks(t *testing.T) {
	for _, tc := range []struct {
		f        Format
		in, want string
	}{
		{JSON, "{\n  \"a\": 1, // of a\n  // of z\n  \"z\": {}\n}\n", "{\n  \"a\": 1 // of a\n  // of z\n}\n"},
		{JSON, "{\n  \"a\": 1, // of a\n  \"z\": {}, // of z\n  \"b\": 2\n}\n", "{\n  \"a\": 1, // of a\n   // of z\n  \"b\": 2\n}\n"},
		{JSON, "{\n  // of z\n  \"z\": {},\n  // of b\n  \"b\": 2\n}\n", "{\n  // of z\n  // of b\n  \"b\": 2\n}\n"},
		{JSON, "{\n  // mine\n  \"z\": {\n    \"y\": 1\n  } // last\n}\n", "{\n  // mine\n   // last\n}\n"},
		{JSON, "{\n  \"z\": { // mine\n    \"y\": 1,\n  },\n  \"b\": 2\n}\n", "{\n  \"z\": { // mine\n  },\n  \"b\": 2\n}\n"},
		{JSON, "{\"a\": 1, /* of a */ \"z\": {} /* of z */, /* of b */ \"b\": 2}\n", "{\"a\": 1, /* of a */  /* of z */ /* of b */ \"b\": 2}\n"},
		{YAML, "z:\n  y:\n    a: 1\n    # of y\n  # of b\n  b: 2\n", "z:\n  # of b\n  b: 2\n"},
		{YAML, "a: 1\nz: # mine\n  y: 1\n", "a: 1\nz: # mine\n"},
		{YAML, "z:\n  y: 1\n  # mine\n# of b\nb: 1\n", "z:\n  # mine\n# of b\nb: 1\n"},
	} {
		path := []string{"z"}
		if strings.Contains(tc.in, "y") {
			path = append(path, "y")
		}
		if got, err := tc.f.Remove([]byte(tc.in), path...); err != nil || string(got) != tc.want {
			t.Errorf("%v\n got %q\nwant %q", err, got, tc.want)
		}
	}
}

// Remarks where nothing stands yet stay where they are.
func TestSetBehindRemarks(t *testing.T) {
	const in, want = "z:\n    # mine\n# of b\nb: 1\n", "z:\n    # mine\n  y:\n    a: 1\n# of b\nb: 1\n"
	got, err := YAML.Set([]byte(in), Object{{"a", 1}}, "z", "y")
	if err != nil || string(got) != want {
		t.Errorf("%v\n got %q\nwant %q", err, got, want)
	}
}
