package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"mcp-askuser/ui/api"
)

// handler serves one kind of request. When it returns an error it has written nothing,
// and the client gets the error.
type handler func(http.ResponseWriter, *http.Request) error

// routes are the paths of the page and of the API, and for each method of theirs a handler.
func (s *Server) routes() map[string]map[string]handler {
	get, post := http.MethodGet, http.MethodPost
	routes := map[string]map[string]handler{
		"/{$}":              {get: s.page},
		"/history":          {get: s.history},
		"/answer":           {post: s.send},
		"/draft":            {post: s.keepDraft},
		"/recall":           {post: s.refill},
		"/attach":           {post: s.refill},
		"/lift":             {post: s.lift},
		"/reopen":           {post: s.reopen},
		"/files/{id}/{key}": {get: s.getFile},

		"/api/questions":                  {get: s.listQuestions, post: s.ask},
		"/api/questions/{id}":             {get: s.getQuestion},
		"/api/questions/{id}/dismiss":     {post: s.dismiss},
		"/api/questions/{id}/files":       {post: s.uploadFile},
		"/api/questions/{id}/files/{key}": {get: s.getFile},
		"/api/questions/{id}/cancel":      {post: s.cancel},
		"/api/task/answer":                {post: s.answer},
		"/api/sessions/{session_id}":      {get: s.getSession},
		"/api/events":                     {get: s.events},
		"/api/openapi.json":               {get: s.getDescription},
	}
	if s.AddPasskey != nil {
		routes["/passkey"] = map[string]handler{get: s.getPasskey, post: s.postPasskey}
	}
	return routes
}

func (s *Server) mux() *http.ServeMux {
	mux := http.NewServeMux()
	for path, methods := range s.routes() {
		mux.HandleFunc(path, s.handle(byMethod(methods)))
	}
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	nowhere := func(err error) http.HandlerFunc {
		return s.handle(func(http.ResponseWriter, *http.Request) error { return err })
	}
	mux.HandleFunc("/", nowhere(errNoPage))
	mux.HandleFunc("/api/", nowhere(api.Problemf(api.NoSuchPath, "The API has no such path; GET /api/openapi.json lists them.")))
	return mux
}

func (s *Server) handle(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.fail(w, r, err)
		}
	}
}

// byMethod calls the handler of the request's method. The mux could do so too, but its
// response to a wrong method is no JSON.
func byMethod(methods map[string]handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if h := methods[r.Method]; h != nil {
			return h(w, r)
		}
		allowed := strings.Join(slices.Sorted(maps.Keys(methods)), ", ")
		w.Header().Set("Allow", allowed)
		return api.Problemf(api.MethodNotAllowed, "This path takes %s.", allowed)
	}
}
