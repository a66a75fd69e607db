package edit

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
)

var server = Object{{"command", "/opt/a b/mcp-askuser"}, {"args", []string{"serve", "--hold", "24h"}}, {"timeout", 600}, {"on", true}}

// The server as each format has it, below two names.
const (
	inLine = `{"command":"/opt/a b/mcp-askuser","args":["serve","--hold","24h"],"timeout":600,"on":true}`
	inTOML = `command = "/opt/a b/mcp-askuser"
args = ["serve","--hold","24h"]
timeout = 600
on = true
`
)

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
		{"json: one line", JSON, "mcp.askuser", "{\"mcp\": {\"other\": {}}} // mine\n", `{"mcp": {"other": {}, "askuser": ` + inLine + `}} // mine` + "\n"},
		{"json: remarks, tabs, trailing commas", JSON, "s.askuser", "{\n\t// first\n\t\"s\": {\n\t\t\"b\": 1, // one\n\t},\n}\n",
			"{\n\t// first\n\t\"s\": {\n\t\t\"b\": 1, // one\n\t\t\"askuser\": {\n\t\t\t\"command\": \"/opt/a b/mcp-askuser\",\n\t\t\t\"args\": [\n\t\t\t\t\"serve\",\n\t\t\t\t\"--hold\",\n\t\t\t\t\"24h\"\n\t\t\t],\n\t\t\t\"timeout\": 600,\n\t\t\t\"on\": true\n\t\t},\n\t},\n}\n"},
		{"json: a last line that does not end", JSON, "s.askuser", "{\"s\": {\"b\": 1}} // mine", `{"s": {"b": 1, "askuser": ` + inLine + `}} // mine`},
		{"json: replaced", JSON, "s.askuser", "{\"s\": {\"askuser\": {\"a\": 1} /* ours */, \"b\": 1}}", `{"s": {"askuser": ` + inLine + ` /* ours */, "b": 1}}`},
		{"json: a remark at the end of the line", JSON, "s.askuser", "{\n  \"s\": { // mine\n    \"b\": 1 /* one */ // of b\n    // last\n  }\n}\n",
			"{\n  \"s\": { // mine\n    \"b\": 1, /* one */ // of b\n    // last\n    \"askuser\": {\n      \"command\": \"/opt/a b/mcp-askuser\",\n      \"args\": [\n        \"serve\",\n        \"--hold\",\n        \"24h\"\n      ],\n      \"timeout\": 600,\n      \"on\": true\n    }\n  }\n}\n"},
		{"json: a remark in an empty object", JSON, "s.askuser", "{\r\n  \"s\": { // mine\r\n  }\r\n}\r\n",
			"{\r\n  \"s\": { // mine\r\n    \"askuser\": {\r\n      \"command\": \"/opt/a b/mcp-askuser\",\r\n      \"args\": [\r\n        \"serve\",\r\n        \"--hold\",\r\n        \"24h\"\r\n      ],\r\n      \"timeout\": 600,\r\n      \"on\": true\r\n    }\r\n  }\r\n}\r\n"},
		{"json: remarks on one line", JSON, "s.askuser", "{\"s\": {\"b\": 1 /* of b */}}", `{"s": {"b": 1, /* of b */ "askuser": ` + inLine + `}}`},
		{"toml: no file", TOML, "mcp_servers.askuser", "", `[mcp_servers.askuser]
` + inTOML},
		{"toml: behind the others", TOML, "mcp_servers.ask user", "model = \"x\" # mine\n\n[mcp_servers.b]\ncommand = 'b'", `model = "x" # mine

[mcp_servers.b]
command = 'b'

[mcp_servers."ask user"]
` + inTOML},
		{"toml: replaced", TOML, "m.askuser", "[m.askuser]\ncommand = \"old\"\n[m.askuser.env]\nA = \"b\"\n\n# of b\n[m.b]\nx = 1\n", `# of b
[m.b]
x = 1

[m.askuser]
` + inTOML},
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
			if _, had, _ := tc.f.Get([]byte(tc.in), path...); !had && tc.in != "" && string(gone) != whole(tc.in) {
				t.Errorf("removed:\n%s", gone)
			}
			if _, found, wrong := tc.f.Get(gone, path...); err != nil || wrong != nil || found {
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

// An edit with which something else would change is refused.
func TestRestChanges(t *testing.T) {
	dropping := JSON
	dropping.set = func([]byte, []string, any) ([]byte, error) { return []byte(`{"b": {"x": 1}}`), nil }
	dropping.remove = func([]byte, []string) ([]byte, error) { return []byte(`{"a": 2}`), nil }
	if got, err := dropping.Set([]byte(`{"a": 1}`), Object{{"x", 1}}, "b"); !errors.Is(err, errRest) {
		t.Errorf("set: %s, %v", got, err)
	}
	if got, err := dropping.Remove([]byte(`{"a": 1, "b": 1}`), "b"); !errors.Is(err, errRest) {
		t.Errorf("removed: %s, %v", got, err)
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
		{"json: something else on the way", JSON, `{"a": 1}`, "a: this is no JSON object"},
		{"toml: broken", TOML, "a = ", "not TOML"},
		{"toml: one line", TOML, "a = {c = 1}\n", "cannot be changed safely"},
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
	for _, seed := range []string{
		"", "{}", "{\"a\":{\"c\":[1,2,],},}", "a:\n  c: 1\n", "[a.c]\nx=1\n", "a:\r\n- 1\r\n", "# x\n", "[a]\nb.c=1", "a: &x\n b: *x\n",
		"a: |+\n  x\n\n", "a: >+2\n   x\n\n# y\n", "a:\nzz:\nb: |+\n  x\n\nc: 1\n", "{\n \"zz\": {}, // y\n}", "{\n \"a\": 1 /* x\n */, // y\n // z\n}", "{\"a\": [1 // x\n]}", "[zz]\n# x\n[b]\n",
		"a: .nan\nb: 2026-11-03\n", "a: 1\n---\nb: 2\n", "a = nan\nb = 2026-11-03\n", "zz:\n  b: 1 # x\n\n  # y\nc: 2\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, format := range []Format{JSON, TOML} {
			before, _, err := format.Get([]byte(in))
			if err != nil {
				continue
			}
			value, had, _ := format.Get([]byte(in), "zz", "askuser")
			out, err := format.Set([]byte(in), server, "zz", "askuser")
			if err != nil {
				continue
			}
			after, _, err := format.Get(out)
			if err != nil || !same(below(after, "zz", "askuser"), server) {
				t.Fatalf("%q became %q: %v", in, out, err)
			}
			if besides(after) != besides(before) {
				t.Fatalf("%q became %q:\n%s\n%s", in, out, besides(before), besides(after))
			}
			if had && same(value, server) {
				continue
			}
			left, err := format.Remove(out, "zz", "askuser")
			if err != nil {
				continue // refused, and left as it is
			}
			now, _, err := format.Get(left)
			if err != nil || besides(now) != besides(before) || below(now, "zz", "askuser") != nil {
				t.Fatalf("%q became %q, then %q: %v\n%s\n%s", in, out, left, err, besides(before), besides(now))
			}
		}
	})
}

func below(v any, names ...string) any {
	for _, name := range names {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// besides is what a document holds beside zz.askuser, in words. An object, null and
// nothing at all are the same where zz is, and as a whole.
func besides(v any) string {
	object, _ := v.(map[string]any)
	all := maps.Clone(object)
	if held, ok := all["zz"].(map[string]any); ok {
		held = maps.Clone(held)
		if delete(held, "askuser"); len(held) > 0 {
			return fmt.Sprintf("%#v and %#v", others(all), held)
		}
	} else if all["zz"] != nil {
		return fmt.Sprintf("%#v", all)
	}
	return fmt.Sprintf("%#v", others(all))
}

func others(all map[string]any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, all)
	delete(out, "zz")
	return out
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
