package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// maxUpload is the most bytes of a request's body with files.
const maxUpload = question.MaxFiles*question.MaxFileSize + maxBody

// limitBody limits the body of a request. One with files of a known sender may be larger.
func limitBody(w http.ResponseWriter, r *http.Request, known bool) {
	most := int64(maxBody)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	files := kind == "multipart/form-data" || strings.HasSuffix(r.URL.Path, "/files")
	if known && files && r.Method == http.MethodPost {
		most = maxUpload
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
}

// attachFiles keeps the files that a form brings, and adds them to the form as those that
// were attached before. Found is why some cannot be kept.
func (s *Server) attachFiles(r *http.Request, rec *desk.Record) (found question.Violations, err error) {
	if r.MultipartForm == nil {
		return nil, nil
	}
	for at, q := range rec.All() {
		for _, part := range r.MultipartForm.File[named(fieldUpload, at)] {
			f, err := s.attachFile(r.Context(), rec.ID, part)
			faults, refused := errors.AsType[question.Violations](err)
			if err != nil && !refused {
				return nil, err
			}
			for _, v := range faults {
				v.Path = "answers." + q.ID
				found = append(found, v)
			}
			if err == nil {
				data, _ := json.Marshal(f) // which has no value that JSON lacks
				r.PostForm.Add(named(fieldFile, at), string(data))
			}
		}
	}
	return found, nil
}

func (s *Server) attachFile(ctx context.Context, id string, part *multipart.FileHeader) (question.File, error) {
	content, err := part.Open()
	if err != nil {
		return question.File{}, unreadBody(err)
	}
	defer func() { _ = content.Close() }()
	return s.Desk.AttachFile(ctx, id, part.Filename, content)
}

// uploadFile attaches the body of a request, by the name of its parameter.
func (s *Server) uploadFile(w http.ResponseWriter, r *http.Request) error {
	rec, err := s.Desk.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	f, err := s.Desk.AttachFile(r.Context(), rec.ID, r.URL.Query().Get("name"), r.Body)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrDeadlineExceeded) {
		return errNotWhole
	}
	if err != nil {
		return api.Late(&rec.Set, err)
	}
	write(w, http.StatusCreated, f)
	return nil
}

// getFile returns a file. Only images are shown, and in a sandbox; a browser saves the others.
func (s *Server) getFile(w http.ResponseWriter, r *http.Request) error {
	f, data, err := s.Desk.File(r.Context(), r.PathValue("id"), r.PathValue("key"))
	switch {
	case errors.Is(err, desk.ErrNotFound):
		return errNoPage
	case err != nil:
		return err
	}
	shown := "attachment"
	if f.Image() {
		shown = "inline"
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Disposition", cmp.Or(mime.FormatMediaType(shown, map[string]string{"filename": f.Name}), shown))
	h.Set("Content-Type", f.Type)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	return nil
}
