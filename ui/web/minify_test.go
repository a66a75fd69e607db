package web

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"
)

var updateMinified = flag.Bool("update", false, "write what is sent of the scripts and styles anew")

// TestMinified: what is sent is what people wrote, made small. The script that
// keeps the page live comes in one piece with the one it stands on.
func TestMinified(t *testing.T) {
	m := minify.New()
	m.AddFunc(".js", js.Minify)
	m.AddFunc(".css", css.Minify)
	for name, from := range map[string][]string{
		"page.css":   {"page.css"},
		"page.js":    {"act.js", "page.js"},
		"passkey.js": {"passkey.js"},
		"back.js":    {"back.js"},
		"sw.js":      {"sw.js"},
	} {
		var whole []byte
		for _, name := range from {
			data, err := os.ReadFile(filepath.Join("assets", name))
			if err != nil {
				t.Fatal(err)
			}
			whole = slices.Concat(whole, data)
		}
		small, err := m.Bytes(filepath.Ext(name), whole)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("minified", name)
		if *updateMinified {
			if err := os.WriteFile(path, small, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if sent, err := os.ReadFile(path); err != nil || !bytes.Equal(sent, small) {
			t.Errorf("%s is not what assets says (%v): go generate ./ui/web", path, err)
		}
	}
}
