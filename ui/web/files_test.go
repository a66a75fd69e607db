package web

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/question"
	"mcp-askuser/ui/api"
)

// shot is a small screenshot.
func shot(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 40, 30))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// hugePNG is the header of an image of this size.
func hugePNG(width, height uint32) []byte {
	header := []byte("IHDR")
	header = binary.BigEndian.AppendUint32(header, width)
	header = binary.BigEndian.AppendUint32(header, height)
	header = append(header, 8, 6, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(header))
}

// upload is one part of a form with a file.
type upload struct {
	field, name string
	data        []byte
}

// multipartForm is a form as a browser sends it.
func (v *visitorOf) multipartForm(path string, form url.Values, files ...upload) *http.Request {
	v.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, values := range form {
		for _, value := range values {
			if err := w.WriteField(name, value); err != nil {
				v.t.Fatal(err)
			}
		}
	}
	for _, f := range files {
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", `form-data; name="`+f.field+`"; filename="`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(f.name)+`"`)
		h.Set("Content-Type", "image/png")
		part, err := w.CreatePart(h)
		if err == nil {
			_, err = part.Write(f.data)
		}
		if err != nil {
			v.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		v.t.Fatal(err)
	}
	r := v.request(http.MethodPost, path, b.String())
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Origin", "http://"+r.Host)
	return r
}

// attachedIn returns the values of the files in a form of a page.
func attachedIn(t testing.TB, page string) (out []string) {
	t.Helper()
	for _, after := range strings.Split(page, `name="f0" value="`)[1:] {
		value, _, _ := strings.Cut(after, `"`)
		out = append(out, strings.ReplaceAll(value, "&#34;", `"`))
	}
	return out
}

func open(id string) question.Question {
	return question.Question{ID: id, Text: "What is wrong (" + id + ")?", Type: question.Text, Required: true}
}

// Uploads need no temporary files, which a killed server would leave behind.
func TestUploadsInMemory(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", open("q"))
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	var files []upload
	for n := range question.MaxFiles {
		files = append(files, upload{"u0", fmt.Sprintf("%d.bin", n), bytes.Repeat([]byte{byte('a' + n)}, question.MaxFileSize)})
	}
	status, page := v.take(v.multipartForm("/answer", url.Values{"id": {rec.ID}, "action": {"confirm"}}, files...))
	if status != http.StatusSeeOther {
		t.Fatalf("%d %.2000s", status, page)
	}
	if a := g.reply(rec.ID).Answers[0]; len(a.Files) != question.MaxFiles {
		t.Errorf("recorded %+v", a)
	}
}

// TestFilesWithoutScript: a form of the page brings files, shows them, and sends those that
// are still ticked.
func TestFilesWithoutScript(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", open("q"))
	status, page := v.take(v.multipartForm("/attach", url.Values{"id": {rec.ID}, "t0": {"the button"}},
		upload{"u0", "a b.png", shot(t)}, upload{"u0", "log.txt", []byte("line\n")}, upload{"u0", "", nil}))
	files := attachedIn(t, page)
	if status != http.StatusOK || len(files) != 2 || !strings.Contains(page, ">the button</textarea>") {
		t.Fatalf("%d: attached %v\n%s", status, files, page)
	}
	var f question.File
	if err := json.Unmarshal([]byte(files[0]), &f); err != nil || f.Name != "a b.png" {
		t.Fatalf("attached %+v, %v", f, err)
	}
	if _, page := v.take(v.multipartForm("/attach", url.Values{"id": {rec.ID}, "f0": slices.Repeat(files[:1], question.MaxFiles)}, upload{"u0", "log.txt", []byte("line\n")})); len(attachedIn(t, page)) != question.MaxFiles ||
		!strings.Contains(page, `-fault">Takes at most 5 files, got 6.</p>`) {
		t.Errorf("a sixth file:\n%s", page)
	}
	g.pending(rec.ID)
	if status, _ := v.post("/draft", url.Values{"id": {rec.ID}, "f0": files}); status != http.StatusNoContent {
		t.Errorf("the draft: %d", status)
	}
	v.sees("/?id="+rec.ID, "a b.png (image/png, ", "log.txt (text/plain, 5 B)", `<img src="/files/`+rec.ID+`/`+f.Key()+`"`)
	status, there := v.take(v.multipartForm("/answer", url.Values{"id": {rec.ID}, "action": {"confirm"}, "t0": {"the button"}, "f0": files[:1]},
		upload{"u0", "more.txt", []byte("more\n")}))
	if status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, there)
	}
	a := g.reply(rec.ID).Answers[0]
	if a.Custom != "the button" || len(a.Files) != 2 || a.Files[0] != f || a.Files[1].Name != "more.txt" {
		t.Errorf("recorded %+v", a)
	}
	v.sees("/history", `<a class="file" href="/files/`+rec.ID+`/`+f.Key()+`"`, "more.txt (text/plain, 5 B)")

	r := v.request(http.MethodGet, "/files/"+rec.ID+"/"+f.Key(), "")
	r.AddCookie(v.cookie)
	r.Header.Del("Authorization")
	got := g.send(r)
	if !bytes.Equal(got.body, shot(t)) || got.header.Get("Content-Type") != "image/png" || got.header.Get("Content-Disposition") != `inline; filename="a b.png"` ||
		got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
		t.Errorf("the image: %d %v", got.status, got.header)
	}
	got = g.do(http.MethodGet, "/files/"+rec.ID+"/"+a.Files[1].Key(), "")
	if got.header.Get("Content-Disposition") != "attachment; filename=more.txt" || got.header.Get("Content-Type") != "text/plain" {
		t.Errorf("the text: %d %v", got.status, got.header)
	}
}

// TestFilesOfDuplicates: an answer that is given to others too takes its files along.
func TestFilesOfDuplicates(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec, other := g.ask("s", open("q")), g.ask("another", open("q"))
	if status, there := v.take(v.multipartForm("/answer", url.Values{"id": {rec.ID}, "action": {"confirm"}, "also": {other.ID}}, upload{"u0", "a.png", shot(t)})); status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, there)
	}
	for _, id := range []string{rec.ID, other.ID} {
		f := g.reply(id).Answers[0].Files[0]
		if a := g.do(http.MethodGet, "/api/questions/"+id+"/files/"+f.Key(), ""); a.status != http.StatusOK || !bytes.Equal(a.body, shot(t)) {
			t.Errorf("%s: %d", id, a.status)
		}
	}
}

// Files are attached through the API, too.
func TestFilesOverHTTP(t *testing.T) {
	g := start(t)
	rec := g.ask("", open("files"))
	path := "/api/questions/" + rec.ID + "/files"
	kept := g.want(201, "", "POST", path+"?name=../a.png", string(shot(t)))
	f := decodeJSON[question.File](t, kept.body)
	g.want(400, api.InvalidAnswer, "POST", path+"?name=a.png", "no image")
	g.want(404, api.QuestionNotFound, "POST", "/api/questions/01J00000000000000000000000/files", "x")
	g.want(404, api.NoSuchPath, "GET", path+"/"+strings.Repeat("0", 64)+".png", "")
	if a := g.want(200, "", "GET", path+"/"+f.Key(), ""); f.Name != "a.png" || !bytes.Equal(a.body, shot(t)) {
		t.Errorf("attached %+v", f)
	}
	lie := f
	lie.Type = "application/pdf"
	g.want(400, api.InvalidAnswer, "POST", "/api/task/answer", `{"id":"`+rec.ID+`","files":{"files":[`+encode(t, lie)+`]}}`)
	g.want(200, "", "POST", "/api/task/answer", `{"id":"`+rec.ID+`","files":{"files":[`+encode(t, f)+`]}}`)
	if a := g.reply(rec.ID).Answers[0]; !slices.Equal(a.Files, []question.File{f}) {
		t.Errorf("recorded %+v", a)
	}
	g.want(400, api.AlreadyAnswered, "POST", path, "late")
	hook, err := desktest.Ask(t.Context(), g.desk, question.Set{Questions: []question.Question{open("hook")}}, "", desk.Asker{Client: "claude-code", Via: desk.ViaHook})
	if err != nil {
		t.Fatal(err)
	}
	g.want(501, api.NotSupported, "POST", "/api/questions/"+hook.ID+"/files", "a host's own")
}

// TestHostileUploads: nothing of these is recorded, and no content that is refused is kept.
func TestHostileUploads(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", open("q"))
	ended := g.ask("ended", open("ended"))
	if _, err := g.desk.Close(t.Context(), ended.ID, desk.Outcome{Status: desk.Cancelled}); err != nil {
		t.Fatal(err)
	}
	elsewhere := g.ask("elsewhere", open("elsewhere"))
	foreign, err := g.desk.AttachFile(t.Context(), elsewhere.ID, "theirs.png", bytes.NewReader(shot(t)))
	if err != nil {
		t.Fatal(err)
	}
	html, svg := "<!DOCTYPE html><script>alert(1)</script>", `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
	content := func(field, name, data string) func() *http.Request {
		return func() *http.Request {
			return v.multipartForm("/answer", url.Values{"id": {rec.ID}, "action": {"confirm"}, "t0": {"x"}}, upload{field, name, []byte(data)})
		}
	}
	reference := func(change func(*question.File)) func() *http.Request {
		return func() *http.Request {
			f := foreign
			change(&f)
			return v.form("/answer", confirmed(rec.ID, "t0", "x", "f0", encode(t, f)))
		}
	}
	many := func(n int) []upload {
		var out []upload
		for i := range n {
			out = append(out, upload{"u0", "a.txt", bytes.Repeat([]byte("x"), i+1)})
		}
		return out
	}
	for _, tt := range []struct {
		name   string
		status int
		send   func() *http.Request
	}{
		{"markup named as an image", 400, content("u0", "a.png", html)},
		{"a drawing named as an image", 400, content("u0", "a.png", svg)},
		{"a drawing in XML", 400, content("u0", "a.svg", "<?xml version=\"1.0\"?>"+svg)},
		{"a drawing behind a byte order mark", 400, content("u0", "a.txt", "\ufeff"+svg)},
		{"a drawing behind marks and space that no reader sees", 400, content("u0", "a.txt", "\ufeff\ufeff\u200b\u00a0\u2028 "+svg)},
		{"a drawing behind its type", 400, content("u0", "a.txt", "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x\">"+svg)},
		{"a drawing behind marks and a declaration", 400, content("u0", "a.txt", "\ufeff<?xml version=\"1.0\"?><!-- a --><!DOCTYPE svg>"+svg)},
		{"a drawing behind a style sheet", 400, content("u0", "a.txt", "<?xml-stylesheet href=\"x\"?>"+svg)},
		{"a drawing under another prefix", 400, content("u0", "a.txt", `<s:svg xmlns:s="http://www.w3.org/2000/svg"/>`)},
		{"markup as text behind a mark", 400, content("u0", "a.txt", "\ufeff"+html)},
		{"an end of markup", 400, content("u0", "a.txt", "</x>"+svg)},
		{"a drawing in UTF-16, the other way", 400, content("u0", "a.txt", "\xfe\xff\x00<\x00s\x00v\x00g\x00>")},
		{"markup as text", 400, content("u0", "a.txt", html)},
		{"an image named as a document", 400, content("u0", "a.pdf", string(shot(t)))},
		{"a program", 400, content("u0", "a", "\x7fELF\x02\x01\x01\x00")},
		{"a program for Windows, as text", 400, content("u0", "a.txt", "MZ\x90\x00\x03\x00")},
		{"escapes in a text", 400, content("u0", "a.txt", "\x1b]52;c;aGk=\x07")},
		{"a zero byte in a text", 400, content("u0", "a.txt", "a\x00b")},
		{"a text in UTF-16", 400, content("u0", "a.txt", "\xff\xfeh\x00i\x00")},
		{"an empty file", 400, content("u0", "a.txt", "")},
		{"larger than 10 MB", 400, content("u0", "a.txt", strings.Repeat("x", question.MaxFileSize+1))},
		{"larger than all that a form may have", 413, content("u0", "a.txt", strings.Repeat("x", maxUpload+1))},
		{"a bomb of a PNG", 400, content("u0", "a.png", string(hugePNG(50_000, 50_000)))},
		{"a PNG without pixels", 400, content("u0", "a.png", string(hugePNG(0, 10)))},
		{"six files", 400, func() *http.Request {
			return v.multipartForm("/answer", url.Values{"id": {rec.ID}, "action": {"confirm"}, "t0": {"x"}}, many(6)...)
		}},
		{"more files than a question keeps", 400, func() *http.Request {
			return v.multipartForm("/attach", url.Values{"id": {rec.ID}}, many(41)...)
		}},
		{"more parts than a form has", 408, func() *http.Request {
			return v.multipartForm("/attach", url.Values{"id": {rec.ID}}, many(1100)...)
		}},
		{"no such question", 404, func() *http.Request {
			return v.multipartForm("/attach", url.Values{"id": {"../../etc"}}, upload{"u0", "a.png", shot(t)})
		}},
		{"a question that has ended", 400, func() *http.Request {
			return v.multipartForm("/answer", url.Values{"id": {ended.ID}, "action": {"confirm"}}, upload{"u0", "a.png", shot(t)})
		}},
		{"no origin", 403, func() *http.Request {
			r := content("u0", "a.png", string(shot(t)))()
			r.Header.Del("Origin")
			return r
		}},
		{"another origin", 403, func() *http.Request {
			r := content("u0", "a.png", string(shot(t)))()
			r.Header.Set("Origin", "https://evil.example")
			return r
		}},
		{"a file of another question", 400, reference(func(*question.File) {})},
		{"a digest that is a path", 400, reference(func(f *question.File) { f.SHA256 = "../../" + elsewhere.ID + "/" + f.SHA256 })},
		{"a name that is a path", 400, reference(func(f *question.File) { f.Name = "../../x.png" })},
		{"a type that is markup", 400, reference(func(f *question.File) { f.Type = "text/html" })},
		{"a reference that is no file", 400, func() *http.Request { return v.form("/answer", confirmed(rec.ID, "t0", "x", "f0", "[1]")) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := g.at(t)
			sub := *v
			sub.rig = g
			if status, body := sub.take(tt.send()); status != tt.status {
				t.Errorf("status %d, want %d\n%.2000s", status, tt.status, body)
			}
			g.pending(rec.ID)
		})
	}
	full := g.store.PutFile(t.Context(), rec.ID, "more", nil, 40)
	if fits := g.store.PutFile(t.Context(), rec.ID, "more", nil, 41); !errors.Is(full, store.ErrTooMany) || fits != nil {
		t.Errorf("not the 40 good ones among too many are kept: %v, %v", full, fits)
	}
	r := v.multipartForm("/attach", url.Values{"id": {rec.ID}}, upload{"u0", "a.png", shot(t)})
	r.Header.Del("Authorization")
	if a := g.send(r); a.status != http.StatusUnauthorized {
		t.Errorf("without a cookie: %d", a.status)
	}
	if a := g.do(http.MethodGet, "/files/"+rec.ID+"/"+foreign.Key(), ""); a.status != http.StatusNotFound {
		t.Errorf("another question's file: %d", a.status)
	}
	for _, path := range []string{"/files/" + rec.ID + "/..%2f..%2fpending%2f" + rec.ID + ".json", "/files/..%2fpending/" + rec.ID + ".json", "/files/" + elsewhere.ID + "/" + foreign.SHA256} {
		if a := g.do(http.MethodGet, path, ""); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
}

// TestTextsThatAreNoMarkup: what only resembles markup can be attached.
func TestTextsThatAreNoMarkup(t *testing.T) {
	g := start(t)
	rec := g.ask("s", open("q"))
	v := g.visitor()
	for _, text := range []string{
		"\ufeffcaf\u00e9\n", "see <svg onload=alert(1)>", "<user@example.org> wrote:\n", "< old\n---\n> new\n", "<5 ms", "<<<<<<< ours\n", "<- back",
	} {
		r := v.multipartForm("/attach", url.Values{"id": {rec.ID}}, upload{"u0", "a.txt", []byte(text)})
		if status, body := v.take(r); status != http.StatusOK {
			t.Errorf("%q: %d\n%.500s", text, status, body)
		}
	}
}

// TestFileNames: a name from outside is shown, and never a path.
func TestFileNames(t *testing.T) {
	g := start(t)
	rec := g.ask("s", open("q"))
	for name, want := range map[string]string{
		"../../../etc/cron.d/x.txt":       "x.txt",
		`C:\Users\me\a.txt`:               "a.txt",
		"..":                              "file",
		"":                                "file",
		"a\x00b\x1b[31m\r\n.txt":          "ab[31m.txt",
		"\u202etxt.exe":                   "txt.exe",
		strings.Repeat("界", 200) + ".txt": strings.Repeat("界", 96) + ".txt",
	} {
		a := g.want(201, "", "POST", "/api/questions/"+rec.ID+"/files?name="+url.QueryEscape(name), "x")
		if f := decodeJSON[question.File](t, a.body); f.Name != want {
			t.Errorf("%q is named %q, want %q", name, f.Name, want)
		}
	}
	second := g.store.PutFile(t.Context(), rec.ID, "second", nil, 1)
	if !errors.Is(second, store.ErrTooMany) {
		t.Errorf("one content is not kept as one file: %v", second)
	}
}
