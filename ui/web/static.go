package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

//go:embed assets
var assets embed.FS

// packed are the assets as they are sent, by path: compressed once.
var packed = sync.OnceValue(func() map[string][]byte {
	out := map[string][]byte{}
	_ = fs.WalkDir(assets, "assets", func(name string, d fs.DirEntry, err error) error {
		if data, wrong := assets.ReadFile(name); err == nil && wrong == nil {
			var b bytes.Buffer
			z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
			_, _ = z.Write(squeezed(path.Ext(name), data))
			_ = z.Close()
			out["/"+name] = b.Bytes()
		}
		return err
	})
	return out
})

var (
	cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	jsComment  = regexp.MustCompile("(?m)^ *//.*$|\\s// [^'\"`\n]*$")
)

// squeezed leaves out of scripts and styles what is there for people: comments,
// unless quotes make that doubtful, and the room before lines.
func squeezed(ext string, data []byte) []byte {
	switch ext {
	case ".css":
		data = cssComment.ReplaceAll(data, nil)
	case ".js":
		data = jsComment.ReplaceAll(data, nil)
	default:
		return data
	}
	var out []byte
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			out = append(append(out, line...), '\n')
		}
	}
	return out
}

// rooted are the assets that a browser looks for elsewhere: a worker's place
// says what it looks after.
var rooted = map[string]string{ //nolint:gochecknoglobals // a table, never written to
	"/sw.js":                "/assets/sw.js",
	"/manifest.webmanifest": "/assets/manifest.webmanifest",
}

// public reports whether a path is the same for everybody.
func public(p string) bool {
	return strings.HasPrefix(p, "/assets/") || rooted[p] != "" || p == "/favicon.svg"
}

func routesStatic(mux *http.ServeMux) {
	mux.HandleFunc("GET /favicon.svg", favicon)
	mux.HandleFunc("GET /assets/", static)
	for p := range rooted {
		mux.HandleFunc("GET "+p, static)
	}
}

// static sends an asset.
func static(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path
	if at, ok := rooted[name]; ok {
		name = at
	}
	data, ok := packed()[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if path.Ext(name) == ".webmanifest" {
		kind = "application/manifest+json"
	}
	w.Header().Set("Content-Type", kind)
	var out io.Reader = bytes.NewReader(data)
	if takesGzip(r) {
		w.Header().Set("Content-Encoding", "gzip")
	} else if z, err := gzip.NewReader(out); err == nil {
		out = z
	}
	_, _ = io.Copy(w, out) // the browser may be gone
}

// favicon draws the page's icon with the number n of what waits, which the
// script keeps current by asking for another.
func favicon(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("n"))
	text := "?"
	switch {
	case err != nil || n <= 0:
	case n < 100:
		text = strconv.Itoa(n)
	default:
		text = "99+"
	}
	size := []int{22, 20, 15}[len(text)-1]
	w.Header().Set("Content-Type", "image/svg+xml")
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">`+
		`<path fill="#4353c9" d="M6 2h20a5 5 0 0 1 5 5v13a5 5 0 0 1-5 5h-9l-7 6v-6H6a5 5 0 0 1-5-5V7a5 5 0 0 1 5-5z"/>`+
		`<text x="16" y="14" fill="#fff" font-family="system-ui,sans-serif" font-weight="700" font-size="%d" text-anchor="middle" dominant-baseline="central">%s</text></svg>`, size, text)
}
