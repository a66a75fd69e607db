package install

import "testing"

// In a file with both kinds of line ends each line keeps its own.
func TestMixedLineEnds(t *testing.T) {
	for in, f := range map[string]*format{
		"{\r\n  \"a\": 1, // mine\n  \"b\": {\n    \"c\": 1\r\n  }\n}\r\n": jsonFile,
		"a = 1\r\n\n[b]\nc = 1\r\n":                                        tomlFile,
	} {
		got, err := f.put([]byte(in), server, "b", "askuser")
		if err == nil {
			got, err = f.take(got, "b", "askuser")
		}
		if err != nil || string(got) != in {
			t.Errorf("%v\n got %q\nwant %q", err, got, in)
		}
	}
}
