package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// shot is a small screenshot.
func shot(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	fatal.If(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 40, 30))))
	return b.Bytes()
}

// upload is a file in a form.
type upload struct{ name, data string }

// uploads is a form of the page with files, as a browser sends it.
func (v *visitor) uploads(path string, form url.Values, files ...upload) *http.Request {
	v.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, values := range form {
		for _, value := range values {
			_ = w.WriteField(name, value) // to memory
		}
	}
	for _, f := range files {
		part, err := w.CreateFormFile("u0", f.name)
		fatal.If(v.t, err)
		_, _ = part.Write([]byte(f.data))
	}
	_ = w.Close()
	r := v.request(http.MethodPost, path, b.String())
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Origin", "http://"+r.Host)
	return r
}

// attachedIn returns the values of the files in a form of a page.
func attachedIn(page string) (out []string) {
	for _, after := range strings.Split(page, `name="f0" value="`)[1:] {
		value, _, _ := strings.Cut(after, `"`)
		out = append(out, strings.ReplaceAll(value, "&#34;", `"`))
	}
	return out
}

func open(id string) question.Question {
	return question.Question{ID: id, Text: "What is wrong (" + id + ")?", Type: question.Text, Required: true}
}

// Without scripts a form of the page brings files, shows them, and sends those that are still
// ticked, to others who ask the same too. Images are shown in a sandbox, others are saved.
func TestFilesWithoutScript(t *testing.T) {
	g, v := visited(t)
	rec, other := g.ask("s", open("q")), g.ask("another", open("q"))
	picture, line := upload{"a b.png", string(shot(t))}, upload{"log.txt", "line\n"}
	status, page := v.take(v.uploads("/attach", url.Values{"id": {rec.ID}, "t0": {"the button"}}, picture, line,
		upload{}))
	files := attachedIn(page)
	if status != http.StatusOK || len(files) != 2 || !strings.Contains(page, ">the button</textarea>") {
		t.Fatalf("%d: attached %v\n%s", status, files, page)
	}
	var f question.File
	if err := json.Unmarshal([]byte(files[0]), &f); err != nil || f.Name != "a b.png" {
		t.Fatalf("attached %+v, %v", f, err)
	}
	full := url.Values{"id": {rec.ID}, "f0": slices.Repeat(files[:1], question.MaxFiles)}
	_, page = v.take(v.uploads("/attach", full, line))
	g.holds("a sixth file", page, `-fault">Takes at most 5 files, got 6.</p>`)
	if n := len(attachedIn(page)); n != question.MaxFiles {
		t.Errorf("%d files", n)
	}
	v.post("/draft", url.Values{"id": {rec.ID}, "f0": files})
	v.sees("/?id="+rec.ID, "a b.png (image/png, ", "log.txt (text/plain, 5 B)",
		`<img src="/files/`+rec.ID+`/`+f.Key()+`"`)
	form := confirmed(rec.ID, "t0", "the button", "f0", files[0], "also", other.ID)
	v.take(v.uploads("/answer", form, upload{"more.txt", "more\n"}))
	a := g.reply(rec.ID).Answers[0]
	if a.Custom != "the button" || len(a.Files) != 2 || a.Files[0] != f || a.Files[1].Name != "more.txt" {
		t.Fatalf("recorded %+v", a)
	}
	v.sees("/history", `<a class="file" href="/files/`+rec.ID+`/`+f.Key()+`"`, "more.txt (text/plain, 5 B)")
	got := v.page("/files/" + rec.ID + "/" + f.Key())
	served := func(header http.Header) string {
		return header.Get("Content-Type") + "|" + header.Get("Content-Disposition") + "|" +
			header.Get("X-Content-Type-Options") + "|" + header.Get("Content-Security-Policy")
	}
	const image = `image/png|inline; filename="a b.png"|nosniff|default-src 'none'; sandbox`
	if !bytes.Equal(got.body, shot(t)) || served(got.header) != image {
		t.Errorf("the image: %d %v", got.status, got.header)
	}
	got = v.page("/files/" + rec.ID + "/" + a.Files[1].Key())
	if served(got.header) != "text/plain|attachment; filename=more.txt|nosniff|default-src 'none'; sandbox" {
		t.Errorf("the text: %d %v", got.status, got.header)
	}
	copied := g.reply(other.ID).Answers[0].Files[0]
	if got := v.page("/files/" + other.ID + "/" + copied.Key()); !bytes.Equal(got.body, shot(t)) {
		t.Errorf("the other's image: %d", got.status)
	}
}

// Files are attached through the API, too, under names that are no paths.
func TestFilesOverHTTP(t *testing.T) {
	g := start(t)
	rec := g.ask("", open("files"))
	path := "/api/questions/" + rec.ID + "/files"
	f := decodeJSON[question.File](t, g.want(201, "", "POST", path+"?name=../a.png", string(shot(t))).body)
	g.want(400, api.InvalidAnswer, "POST", path+"?name=a.png", "no image")
	g.want(404, api.QuestionNotFound, "POST", "/api/questions/"+nowhere+"/files", "x")
	g.want(404, api.NoSuchPath, "GET", path+"/"+strings.Repeat("0", 64)+".png", "")
	if a := g.want(200, "", "GET", path+"/"+f.Key(), ""); f.Name != "a.png" || !bytes.Equal(a.body, shot(t)) {
		t.Errorf("attached %+v", f)
	}
	lie := f
	lie.Type = "application/pdf"
	g.task(400, api.InvalidAnswer, `{"id":"`+rec.ID+`","files":{"files":[`+encode(t, lie)+`]}}`)
	g.task(200, "", `{"id":"`+rec.ID+`","files":{"files":[`+encode(t, f)+`]}}`)
	if a := g.reply(rec.ID).Answers[0]; !slices.Equal(a.Files, []question.File{f}) {
		t.Errorf("recorded %+v", a)
	}
	asker := desk.Asker{Client: "claude-code", Via: desk.ViaHook}
	hook := must(desktest.Ask(t.Context(), g.desk, question.Set{Questions: []question.Question{open("hook")}}, "",
		asker))
	g.want(501, api.NotSupported, "POST", "/api/questions/"+hook.ID+"/files", "a host's own")
}

// Nothing of these is recorded, and no content that is refused is kept. Which content is refused is
// shown in question, and which references are in desk.
func TestHostileUploads(t *testing.T) {
	g, v := visited(t)
	rec, ended, elsewhere := g.ask("s", open("q")), g.ask("ended", open("ended")), g.ask("elsewhere", open("elsewhere"))
	if _, err := g.desk.Close(t.Context(), ended.ID, desk.Outcome{Status: desk.Cancelled}); err != nil {
		t.Fatal(err)
	}
	foreign := must(g.desk.AttachFile(t.Context(), elsewhere.ID, "theirs.png", bytes.NewReader(shot(t))))
	many := func(n int) (out []upload) {
		for i := range n {
			out = append(out, upload{"a.txt", strings.Repeat("x", i+1)})
		}
		return out
	}
	answer := confirmed(rec.ID, "t0", "x")
	id := url.Values{"id": {rec.ID}}
	picture, html := upload{"a.png", string(shot(t))}, upload{"a.png", "<!DOCTYPE html><script>alert(1)</script>"}
	for name, tt := range map[string]struct {
		status  int
		request *http.Request
	}{
		"markup named as an image":         {400, v.uploads("/answer", answer, html)},
		"six files":                        {400, v.uploads("/answer", answer, many(6)...)},
		"more files than a question keeps": {400, v.uploads("/attach", id, many(41)...)},
		"more parts than a form has":       {400, v.uploads("/attach", id, many(1100)...)},
		"no such question":                 {404, v.uploads("/attach", url.Values{"id": {"../../etc"}}, picture)},
		"a question that has ended":        {400, v.uploads("/answer", confirmed(ended.ID), picture)},
		"a file of another question":       {400, v.form("/answer", confirmed(rec.ID, "f0", encode(t, foreign)))},
		"a reference that is no file":      {400, v.form("/answer", confirmed(rec.ID, "f0", "[1]"))},
	} {
		if got, body := v.take(tt.request); got != tt.status {
			t.Errorf("%s: status %d, want %d\n%.2000s", name, got, tt.status, body)
		}
		g.pending(rec.ID)
	}
	full := g.store.PutFile(t.Context(), rec.ID, "more", nil, 40)
	if fits := g.store.PutFile(t.Context(), rec.ID, "more", nil, 41); !errors.Is(full, store.ErrTooMany) || fits != nil {
		t.Errorf("not the 40 good ones among too many are kept: %v, %v", full, fits)
	}
	for _, path := range []string{rec.ID + "/" + foreign.Key(), rec.ID + "/..%2f..%2fpending%2f" + rec.ID + ".json",
		"..%2fpending/" + rec.ID + ".json", elsewhere.ID + "/" + foreign.SHA256} {
		if a := g.do(http.MethodGet, "/files/"+path, ""); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none")) // a server that is killed would leave files there
	large := upload{"a.png", string(shot(t)) + strings.Repeat("\x00", 2*maxBody)}
	if status, page := v.take(v.uploads("/attach", url.Values{"id": {elsewhere.ID}}, large)); status != 200 {
		t.Errorf("a large file: status %d\n%s", status, page)
	}
	for known, most := range map[bool]int64{true: maxUpload, false: maxBody} {
		r := v.uploads("/attach", id)
		r.Body = io.NopCloser(endless{})
		limitBody(httptest.NewRecorder(), r, known)
		if n, err := io.Copy(io.Discard, r.Body); n != most || err == nil {
			t.Errorf("of a known sender (%t) %d bytes are read, %v", known, n, err)
		}
	}
}

// endless is a body that has no end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// A file whose sender is lost midway is none of the server's failures: nothing is kept or logged.
func TestUploadCutOff(t *testing.T) {
	t.Parallel()
	var log waittest.Buffer
	g := start(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	rec := g.ask("", open("files"))
	conn := g.dial()
	_, err := fmt.Fprintf(conn, "POST /api/questions/%s/files?name=a.txt HTTP/1.1\r\nHost: %s\r\n"+
		"Authorization: Bearer %s\r\nContent-Length: 10\r\n\r\nhalf", rec.ID, g.addr, token)
	fatal.If(t, err)
	fatal.If(t, conn.(*net.TCPConn).CloseWrite())
	got, err := io.ReadAll(conn)
	if err != nil || !bytes.HasPrefix(got, []byte("HTTP/1.1 400 ")) || log.String() != "" {
		t.Errorf("%v, got %s, logged %s", err, got, log.String())
	}
}
