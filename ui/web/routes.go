package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"

	"mcp-askuser/ui/api"
)

// assets are the scripts, styles and icons, the same for every client.
//
//go:embed assets
var assets embed.FS

// edition tells the page's script and styles from those of another version, which a tab may have that
// was open before. The script compares it.
var edition = sync.OnceValue(func() string {
	script, _ := assets.ReadFile("assets/page.js") // embedded files can be read
	styles, _ := assets.ReadFile("assets/page.css")
	sum := sha256.Sum256(append(script, styles...))
	return hex.EncodeToString(sum[:6])
})

// handler serves one kind of request. When it returns an error it has written nothing,
// and the client gets the error.
type handler func(http.ResponseWriter, *http.Request) error

// routes are the requests that the page and the API take.
func (s *Server) routes() map[string]handler {
	routes := map[string]handler{
		"GET /{$}":              s.page,
		"GET /history":          s.history,
		"POST /answer":          s.withForm(s.send),
		"POST /draft":           s.withForm(s.keepDraft),
		"POST /recall":          s.withForm(s.refill),
		"POST /attach":          s.withForm(s.refill),
		"POST /lift":            s.withForm(s.lift),
		"POST /reopen":          s.withForm(s.reopen),
		"GET /files/{id}/{key}": s.getFile,

		"GET /api/questions":                  s.listQuestions,
		"POST /api/questions":                 s.ask,
		"GET /api/questions/{id}":             s.getQuestion,
		"POST /api/questions/{id}/dismiss":    s.dismiss,
		"POST /api/questions/{id}/files":      s.uploadFile,
		"GET /api/questions/{id}/files/{key}": s.getFile,
		"POST /api/task/answer":               s.answer,
		"GET /api/sessions/{session_id}":      s.getSession,
		"GET /api/events":                     s.events,
		"GET /api/openapi.json":               s.getDescription,
	}
	if s.AddPasskey != nil {
		routes["GET /passkey"], routes["POST /passkey"] = s.getPasskey, s.postPasskey
	}
	return routes
}

func (s *Server) mux() *http.ServeMux {
	mux := http.NewServeMux()
	for request, h := range s.routes() {
		mux.HandleFunc(request, s.handle(h))
	}
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("/", s.handle(func(_ http.ResponseWriter, r *http.Request) error {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			return api.Problemf(api.NoSuchPath,
				"The API takes no %s here; GET /api/openapi.json lists what it takes.", r.Method)
		}
		return errNoPage
	}))
	return mux
}

func (s *Server) handle(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err != nil {
			s.fail(w, r, err)
		}
	}
}
