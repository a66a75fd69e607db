package install

import (
	"strings"
	"testing"
)

var server = entry{"command": "/opt/a b/mcp-askuser", "args": []string{"serve", "--hold", "24h"}, "timeout": 600,
	"on": true}

// What is set is at the end of its object, and remarks stay where they are; setting it again changes
// nothing, and it can be taken out. Empty files, tabs and tables of TOML are in the golden files of the
// clients.
func TestSet(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{ // ENTRY is the server, indented twice
		{"one line", "{\"s\": {\"other\": {}}} // mine",
			"{\"s\": {\"other\": {},\n    \"askuser\": ENTRY\n  }} // mine"},
		{"replaced", "{\"s\": {\"askuser\": {\"a\": 1} /* ours */, \"b\": 1}}",
			"{\"s\": {\"askuser\": ENTRY /* ours */, \"b\": 1}}"},
		{"a remark at the end of the line", "{\n  \"s\": { // mine\n    \"b\": 1 // of b\n    // last\n  }\n}\n",
			"{\n  \"s\": { // mine\n    \"b\": 1, // of b\n    \"askuser\": ENTRY\n    // last\n  }\n}\n"},
		{"a remark in an empty object", "{\r\n  \"s\": { // mine\r\n  }\r\n}\r\n",
			"{\r\n  \"s\": { // mine\r\n    \"askuser\": ENTRY\r\n  }\r\n}\r\n"},
	} {
		text, _ := indented(server, "    ", "  ")
		want := strings.Replace(tc.want, "ENTRY", string(text), 1)
		if strings.Contains(tc.in, "\r") {
			want = strings.ReplaceAll(strings.ReplaceAll(want, "\r", ""), "\n", "\r\n")
		}
		got, err := jsonFile.put([]byte(tc.in), server, "s", "askuser")
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n got:\n%s\nwant:\n%s", tc.name, err, got, want)
			continue
		}
		again, err := jsonFile.put(got, server, "s", "askuser")
		if err != nil || string(again) != want {
			t.Errorf("%s: set again: %v\n%s", tc.name, err, again)
		}
		gone, err := jsonFile.put(got, nil, "s", "askuser")
		if err != nil || strings.Contains(string(gone), "askuser") ||
			strings.Contains(tc.name, "remark in") && string(gone) != tc.in {
			t.Errorf("%s: removed: %v, %q", tc.name, err, gone)
		}
	}
}

// What cannot be changed in place is not changed. An entry that would be left in a file is reported:
// it is written twice, or in a form that is not changed.
func TestRefuses(t *testing.T) {
	for _, tc := range []struct {
		name string
		f    *format
		in   string
		out  bool
		says string
	}{
		{"json: broken", jsonFile, `{"a":`, false, "not a JSON object"},
		{"json: a list", jsonFile, `[]`, false, "not a JSON object"},
		{"json: something else on the way", jsonFile, `{"a": 1}`, false, "a.b: this cannot be changed safely"},
		{"json: twice", jsonFile, `{"a": {"b": 1, "b": 2}}`, true, "cannot be changed safely"},
		{"json: above it, twice", jsonFile, `{"a": {"b": 1}, "a": {"b": 2}}`, true, "cannot be changed safely"},
		{"toml: broken", tomlFile, "b = 1\na = ", false, "not TOML, and was not changed: line 2: a: "},
		{"toml: one line", tomlFile, "a = {c = 1}\n", false, "cannot be changed safely"},
		{"toml: ours in one line", tomlFile, "a = {b = 1}\n", true, "cannot be changed safely"},
		{"toml: ours in a table of all", tomlFile, "[a]\nb = {c = 1}\n", true, "cannot be changed safely"},
		{"toml: ours without a table", tomlFile, "a.b.c = 1\n", true, "cannot be changed safely"},
		{"toml: like ours in a text", tomlFile, "t = \"\"\"\n[a.b]\nc = 1\n\"\"\"\n[a.b]\n", true,
			"cannot be changed safely"},
	} {
		got, err := tc.f.put([]byte(tc.in), server, "a", "b")
		if tc.out {
			got, err = tc.f.put([]byte(tc.in), nil, "a", "b")
		}
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q\n%s", tc.name, err, tc.says, got)
		}
	}
}

// The tables of an entry are taken out, and replaced; all other lines stay as they are.
func TestFormsOfATable(t *testing.T) {
	for _, tc := range []struct{ before, ours, after string }{
		{"a = 1\n\n", "[mcp_servers.\"askuser\"]\ncommand = \"x\"\n", "[z]\n\n\n"},
		{"a = 1\n", "[ mcp_servers . askuser ]\ncommand = \"x\"\n[mcp_servers.askuser.env]\nA = \"b\"\n", "# of z\n[z]"},
		{"# mine\n", "[mcp_servers.askuser]\nargs = [\n  # one\n  \"a\",\n\n]\ncommand = \"x\"\n", "[[b]]\n"},
		{"a = 1\n", "[mcp_servers.askuser]\ncommand = \"x\"\n", "\n# the end\n# and more"},
	} {
		file := tc.before + tc.ours + tc.after
		got, err := tomlFile.put([]byte(file), nil, "mcp_servers", "askuser")
		if err != nil || string(got) != tc.before+tc.after {
			t.Errorf("%v\n got %q\nwant %q", err, got, tc.before+tc.after)
		}
		got, err = tomlFile.put([]byte(file), server, "mcp_servers", "askuser")
		if err != nil || !strings.HasPrefix(string(got), strings.TrimRight(tc.before+tc.after, "\n")) {
			t.Errorf("%v\n got %q", err, got)
		}
	}
}

// Whatever the file: what is there besides stays, and what is set can be read and taken out
// again.
func FuzzPut(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "{\"a\":{\"c\":[1,2,],},}", "[a.c]\nx=1\n", "# x\n", "[a]\nb.c=1", "{\n \"zz\": {}, // y\n}",
		"{\n \"a\": 1 /* x\n */, // y\n // z\n}", "{\"a\": [1 // x\n]}", "{\"zz\": 1, \"zz\": {\"askuser\": 1}}",
		"[zz]\n# x\n[b]\n", "a = nan\nb = 2026-11-03\n",
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
			left, err := format.put(out, nil, "zz", "askuser")
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
		if got, err := jsonFile.put([]byte(in), nil, "z"); err != nil || string(got) != want {
			t.Errorf("%v\n got %q\nwant %q", err, got, want)
		}
	}
	const held = "{\n  \"z\": { // mine\n    \"y\": 1,\n  },\n  \"b\": 2\n}\n"
	if got, err := jsonFile.put([]byte(held), nil, "z", "y"); err != nil ||
		string(got) != "{\n  \"z\": { // mine\n  },\n  \"b\": 2\n}\n" {
		t.Errorf("%v, %q", err, got)
	}
}

// What a file holds is shown as nothing but text, and no line as two.
func TestDiffIsText(t *testing.T) {
	c := Change{Before: []byte("a\x1b[2Jb\r\n\tc\u202ed\u009b31m\ne\u2028+ f\rg\x00\n"), After: []byte("")}
	if got, want := c.Diff(), "@@ -1,3 +0,0 @@\n-a␛[2Jb\n-    c[U+202E]d[U+009B]31m\n-e[U+2028]+ f␍g␀\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// In a file with both kinds of line ends each line keeps its own.
func TestMixedLineEnds(t *testing.T) {
	for in, f := range map[string]*format{
		"{\r\n  \"a\": 1, // mine\n  \"b\": {\n    \"c\": 1\r\n  }\n}\r\n": jsonFile,
		"a = 1\r\n\n[b]\nc = 1\r\n":                                        tomlFile,
	} {
		got, err := f.put([]byte(in), server, "b", "askuser")
		if err == nil {
			got, err = f.put(got, nil, "b", "askuser")
		}
		if err != nil || string(got) != in {
			t.Errorf("%v\n got %q\nwant %q", err, got, in)
		}
	}
}
