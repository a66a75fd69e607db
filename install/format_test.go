package install

import (
	"strings"
	"testing"
)

var server = entry{"command": "/opt/a b/mcp-askuser", "args": []string{"serve", "--hold", "24h"}, "timeout": 600, "on": true}

// The server as each format has it, below two names.
const (
	inLine = `{"args":["serve","--hold","24h"],"command":"/opt/a b/mcp-askuser","on":true,"timeout":600}`
	inTOML = `args = ['serve', '--hold', '24h']
command = '/opt/a b/mcp-askuser'
on = true
timeout = 600
`
)

func TestSet(t *testing.T) {
	for _, tc := range []struct {
		name string
		f    *format
		path string
		in   string
		want string
	}{
		{"json: no file", jsonFile, "mcpServers.askuser", "", `{
  "mcpServers": {
    "askuser": {
      "args": [
        "serve",
        "--hold",
        "24h"
      ],
      "command": "/opt/a b/mcp-askuser",
      "on": true,
      "timeout": 600
    }
  }
}
`},
		{"json: one line", jsonFile, "mcp.askuser", "{\"mcp\": {\"other\": {}}} // mine\n", `{"mcp": {"other": {}, "askuser": ` + inLine + `}} // mine` + "\n"},
		{"json: remarks, tabs, trailing commas", jsonFile, "s.askuser", "{\n\t// first\n\t\"s\": {\n\t\t\"b\": 1, // one\n\t},\n}\n",
			"{\n\t// first\n\t\"s\": {\n\t\t\"b\": 1, // one\n\t\t\"askuser\": {\n\t\t\t\"args\": [\n\t\t\t\t\"serve\",\n\t\t\t\t\"--hold\",\n\t\t\t\t\"24h\"\n\t\t\t],\n\t\t\t\"command\": \"/opt/a b/mcp-askuser\",\n\t\t\t\"on\": true,\n\t\t\t\"timeout\": 600\n\t\t},\n\t},\n}\n"},
		{"json: a last line that does not end", jsonFile, "s.askuser", "{\"s\": {\"b\": 1}} // mine", `{"s": {"b": 1, "askuser": ` + inLine + `}} // mine`},
		{"json: replaced", jsonFile, "s.askuser", "{\"s\": {\"askuser\": {\"a\": 1} /* ours */, \"b\": 1}}", `{"s": {"askuser": ` + inLine + ` /* ours */, "b": 1}}`},
		{"json: a remark at the end of the line", jsonFile, "s.askuser", "{\n  \"s\": { // mine\n    \"b\": 1 // of b\n    // last\n  }\n}\n",
			"{\n  \"s\": { // mine\n    \"b\": 1, // of b\n    \"askuser\": {\n      \"args\": [\n        \"serve\",\n        \"--hold\",\n        \"24h\"\n      ],\n      \"command\": \"/opt/a b/mcp-askuser\",\n      \"on\": true,\n      \"timeout\": 600\n    }\n    // last\n  }\n}\n"},
		{"json: a remark in an empty object", jsonFile, "s.askuser", "{\r\n  \"s\": { // mine\r\n  }\r\n}\r\n",
			"{\r\n  \"s\": { // mine\r\n    \"askuser\": {\r\n      \"args\": [\r\n        \"serve\",\r\n        \"--hold\",\r\n        \"24h\"\r\n      ],\r\n      \"command\": \"/opt/a b/mcp-askuser\",\r\n      \"on\": true,\r\n      \"timeout\": 600\r\n    }\r\n  }\r\n}\r\n"},
		{"toml: no file", tomlFile, "mcp_servers.askuser", "", `[mcp_servers.askuser]
` + inTOML},
		{"toml: behind the others", tomlFile, "mcp_servers.askuser", "model = \"x\" # mine\n\n[mcp_servers.b]\ncommand = 'b'", `model = "x" # mine

[mcp_servers.b]
command = 'b'

[mcp_servers.askuser]
` + inTOML},
		{"toml: replaced", tomlFile, "m.askuser", "[m.askuser]\ncommand = \"old\"\n[m.askuser.env]\nA = \"b\"\n\n# of b\n[m.b]\nx = 1\n", `# of b
[m.b]
x = 1

[m.askuser]
` + inTOML},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := strings.Split(tc.path, ".")
			got, err := tc.f.put([]byte(tc.in), server, path...)
			if err != nil || string(got) != tc.want {
				t.Fatalf("%v\n got:\n%s\nwant:\n%s", err, got, tc.want)
			}
			again, err := tc.f.put(got, server, path...)
			if err != nil || string(again) != tc.want {
				t.Errorf("set again: %v\n%s", err, again)
			}
			gone, err := tc.f.take(got, path...)
			if had, _ := tc.f.get([]byte(tc.in), path...); had == nil && tc.in != "" && string(gone) != whole(tc.in) {
				t.Errorf("removed:\n%s", gone)
			}
			if found, wrong := tc.f.get(gone, path...); err != nil || wrong != nil || found != nil {
				t.Errorf("removed: %v, %v\n%s", err, wrong, gone)
			}
		})
	}
}

// whole is a file whose last line ends, where ours has to stand behind it.
func whole(in string) string {
	if !strings.HasPrefix(in, "model") || strings.HasSuffix(in, "\n") {
		return in
	}
	return in + "\n"
}

// What cannot be changed in place is not changed.
func TestSetRefuses(t *testing.T) {
	for _, tc := range []struct {
		name string
		f    *format
		in   string
		says string
	}{
		{"json: broken", jsonFile, `{"a":`, "not a JSON object"},
		{"json: a list", jsonFile, `[]`, "not a JSON object"},
		{"json: something else on the way", jsonFile, `{"a": 1}`, "a.b: this cannot be changed safely"},
		{"toml: broken", tomlFile, "a = ", "not TOML"},
		{"toml: one line", tomlFile, "a = {c = 1}\n", "cannot be changed safely"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, err := tc.f.put([]byte(tc.in), server, "a", "b"); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%v, want %q\n%s", err, tc.says, got)
			}
		})
	}
}

// Whatever the file: what is there besides stays, and what is set can be read and taken out
// again.
func FuzzPut(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "{\"a\":{\"c\":[1,2,],},}", "[a.c]\nx=1\n", "# x\n", "[a]\nb.c=1", "{\n \"zz\": {}, // y\n}",
		"{\n \"a\": 1 /* x\n */, // y\n // z\n}", "{\"a\": [1 // x\n]}", "{\"zz\": 1, \"zz\": {\"askuser\": 1}}", "[zz]\n# x\n[b]\n", "a = nan\nb = 2026-11-03\n",
		"a = \"\"\"\n[zz.askuser]\n\"\"\"\n[zz.askuser]\nx = 1\n# y\n[b]\n", "\ufeff{\r\n}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, format := range []*format{jsonFile, tomlFile} {
			out, err := format.put([]byte(in), server, "zz", "askuser")
			if err != nil {
				continue // refused, and left as it is
			}
			value, err := format.get(out, "zz", "askuser")
			if err != nil || !same(value, server) {
				t.Fatalf("%q became %q: %v, %v", in, out, value, err)
			}
			left, err := format.take(out, "zz", "askuser")
			if err != nil {
				continue
			}
			text, _ := plain([]byte(in))
			was, err := format.decode(text)
			text, _ = plain(left)
			now, wrong := format.decode(text)
			path := []string{"zz", "askuser"}
			if err != nil || wrong != nil || !same(rest(was, path), rest(now, path)) {
				t.Fatalf("%q became %q, then %q: %v, %v", in, out, left, was, now)
			}
		}
	})
}

// A comment beside what is taken out goes with it; all others stay.
func TestRemoveKeepsRemarks(t *testing.T) {
	for in, want := range map[string]string{
		"{\n  \"a\": 1, // of a\n  // of z\n  \"z\": {}\n}\n":                "{\n  \"a\": 1 // of a\n}\n",
		"{\n  \"a\": 1, // of a\n  \"z\": {}, // of z\n  \"b\": 2\n}\n":      "{\n  \"a\": 1, // of a\n  \"b\": 2\n}\n",
		"{\n  // of z\n  \"z\": {},\n  // of b\n  \"b\": 2\n}\n":             "{\n  // of b\n  \"b\": 2\n}\n",
		"{\n  // mine\n\n  // of z\n  \"z\": {}\n}\n":                        "{\n  // mine\n\n}\n",
		"{\"a\": 1, /* of a */ \"z\": {} /* of z */, /* of b */ \"b\": 2}\n": "{\"a\": 1, /* of b */ \"b\": 2}\n",
	} {
		if got, err := jsonFile.take([]byte(in), "z"); err != nil || string(got) != want {
			t.Errorf("%v\n got %q\nwant %q", err, got, want)
		}
	}
	const held = "{\n  \"z\": { // mine\n    \"y\": 1,\n  },\n  \"b\": 2\n}\n"
	if got, err := jsonFile.take([]byte(held), "z", "y"); err != nil || string(got) != "{\n  \"z\": { // mine\n  },\n  \"b\": 2\n}\n" {
		t.Errorf("%v, %q", err, got)
	}
}
