package web

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"
)

// assets are the scripts, styles and icons, the same for every client.
//
//go:embed assets
var assets embed.FS

// assetsTag changes with the assets.
var assetsTag = sync.OnceValue(func() string {
	sum := sha256.New()
	_ = fs.WalkDir(assets, ".", func(name string, _ fs.DirEntry, _ error) error {
		data, _ := assets.ReadFile(name) // nothing of a directory
		_, err := sum.Write(data)
		return err
	})
	return fmt.Sprintf("%q", fmt.Sprintf("%x", sum.Sum(nil)[:8]))
})

// public reports whether a path is the same for every client, and needs no cookie.
func public(p string) bool { return strings.HasPrefix(p, "/assets/") }

// routesStatic serves the assets. A browser keeps them, and asks each time whether they have
// changed.
func routesStatic(mux *http.ServeMux) {
	files := http.FileServerFS(assets)
	mux.HandleFunc("GET /assets/", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") { // no list of them
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", assetsTag())
		files.ServeHTTP(w, r)
	})
}
