package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:generate go test -run ^TestMinified$ . -update

// assets are the icons, and the scripts and styles as go generate minifies them from
// those in assets; a test compares them.
//
//go:embed minified assets/*.png assets/*.webmanifest
var assets embed.FS

// asset is a file that is the same for every client.
type asset struct {
	kind string
	tag  string // changes with the content
	data []byte
	gzip []byte // data, compressed
}

func newAsset(kind string, data []byte) asset {
	sum := sha256.Sum256(data)
	return asset{kind, fmt.Sprintf(`W/"%x"`, sum[:8]), data, compress(data, gzip.BestCompression)}
}

// assetsByName are the assets by their file names, compressed once.
var assetsByName = sync.OnceValue(func() map[string]asset {
	out := map[string]asset{}
	_ = fs.WalkDir(assets, ".", func(name string, d fs.DirEntry, err error) error {
		data, wrong := assets.ReadFile(name)
		if err != nil || wrong != nil { // a directory
			return err
		}
		kind := mime.TypeByExtension(path.Ext(name))
		if path.Ext(name) == ".webmanifest" {
			kind = "application/manifest+json"
		}
		out[path.Base(name)] = newAsset(kind, data)
		return nil
	})
	return out
})

func compress(data []byte, level int) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, level) // the level exists
	_, _ = z.Write(data)
	_ = z.Close()
	return b.Bytes()
}

func acceptsGzip(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
}

// public reports whether a path is the same for every client, and needs no cookie. The
// worker is at the root because it controls the pages below its own path.
func public(p string) bool {
	return strings.HasPrefix(p, "/assets/") || p == "/sw.js" || p == "/manifest.webmanifest" || p == "/favicon.svg"
}

func routesStatic(mux *http.ServeMux) {
	mux.HandleFunc("GET /favicon.svg", favicon)
	for _, p := range []string{"/assets/", "/sw.js", "/manifest.webmanifest"} {
		mux.HandleFunc("GET "+p, serveAsset)
	}
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := assetsByName()[path.Base(r.URL.Path)]
	if !ok {
		http.NotFound(w, r)
		return
	}
	a.send(w, r)
}

// send sends the asset. A browser keeps it, and asks each time whether it has changed.
func (a asset) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", a.tag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Type", a.kind)
	data := a.data
	if acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		data = a.gzip
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// favicon draws the page's icon with the number n of open questions.
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
	newAsset("image/svg+xml", fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">`+
		`<path fill="#4353c9" d="M6 2h20a5 5 0 0 1 5 5v13a5 5 0 0 1-5 5h-9l-7 6v-6H6a5 5 0 0 1-5-5V7a5 5 0 0 1 5-5z"/>`+
		`<text x="16" y="14" fill="#fff" font-family="system-ui,sans-serif" font-weight="700" font-size="%d" text-anchor="middle" dominant-baseline="central">%s</text></svg>`, size, text)).send(w, r)
}
