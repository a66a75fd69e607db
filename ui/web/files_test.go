package web

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
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
func hugePNG(width, height uint32) string {
	header := []byte("IHDR")
	header = binary.BigEndian.AppendUint32(header, width)
	header = binary.BigEndian.AppendUint32(header, height)
	header = append(header, 8, 6, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return string(binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(header)))
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
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", `form-data; name="u0"; filename="`+f.name+`"`)
		h.Set("Content-Type", "image/png")
		part, err := w.CreatePart(h)
		if err != nil {
			v.t.Fatal(err)
		}
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
	g := start(t)
	v := g.visitor()
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
	for name, want := range map[string]string{
		`C:\Users\me\a.txt`:               "a.txt",
		"..":                              "file",
		"":                                "file",
		"a\x00b\x1b[31m\r\n.txt":          "ab[31m.txt",
		"\u202etxt.exe":                   "txt.exe",
		strings.Repeat("界", 200) + ".txt": strings.Repeat("界", 96) + ".txt",
	} {
		named := decodeJSON[question.File](t, g.want(201, "", "POST", path+"?name="+url.QueryEscape(name), "x").body)
		if named.Name != want {
			t.Errorf("%q is named %q, want %q", name, named.Name, want)
		}
	}
	g.task(200, "", `{"id":"`+rec.ID+`","files":{"files":[`+encode(t, f)+`]}}`)
	if a := g.reply(rec.ID).Answers[0]; !slices.Equal(a.Files, []question.File{f}) {
		t.Errorf("recorded %+v", a)
	}
	asker := desk.Asker{Client: "claude-code", Via: desk.ViaHook}
	hook := must(desktest.Ask(t.Context(), g.desk, question.Set{Questions: []question.Question{open("hook")}}, "",
		asker))
	g.want(501, api.NotSupported, "POST", "/api/questions/"+hook.ID+"/files", "a host's own")
}

// Nothing of these is recorded, and no content that is refused is kept. What only resembles markup
// is taken.
func TestHostileUploads(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec, ended := g.ask("s", open("q")), g.ask("ended", open("ended"))
	elsewhere, last := g.ask("elsewhere", open("elsewhere")), g.ask("last", open("last"))
	if _, err := g.desk.Close(t.Context(), ended.ID, desk.Outcome{Status: desk.Cancelled}); err != nil {
		t.Fatal(err)
	}
	foreign := must(g.desk.AttachFile(t.Context(), elsewhere.ID, "theirs.png", bytes.NewReader(shot(t))))
	const html = "<!DOCTYPE html><script>alert(1)</script>"
	const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
	refused := func(name string, status int, r *http.Request) {
		t.Helper()
		if got, body := v.take(r); got != status {
			t.Errorf("%s: status %d, want %d\n%.2000s", name, got, status, body)
		}
		g.pending(rec.ID)
	}
	for name, f := range map[string]upload{
		"markup named as an image":             {"a.png", html},
		"a drawing named as an image":          {"a.png", svg},
		"a drawing in XML":                     {"a.svg", "<?xml version=\"1.0\"?>" + svg},
		"a drawing behind a byte order mark":   {"a.txt", "\ufeff" + svg},
		"a drawing behind what no reader sees": {"a.txt", "\ufeff\ufeff\u200b\u00a0\u2028 " + svg},
		"a drawing behind its type": {"a.txt",
			"<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"x\">" + svg},
		"a drawing behind marks and a declaration": {"a.txt",
			"\ufeff<?xml version=\"1.0\"?><!-- a --><!DOCTYPE svg>" + svg},
		"a drawing behind a style sheet":     {"a.txt", "<?xml-stylesheet href=\"x\"?>" + svg},
		"a drawing under another prefix":     {"a.txt", `<s:svg xmlns:s="http://www.w3.org/2000/svg"/>`},
		"an end of markup":                   {"a.txt", "</x>" + svg},
		"a drawing in UTF-16, the other way": {"a.txt", "\xfe\xff\x00<\x00s\x00v\x00g\x00>"},
		"markup as text":                     {"a.txt", html},
		"an image named as a document":       {"a.pdf", string(shot(t))},
		"a program":                          {"a", "\x7fELF\x02\x01\x01\x00"},
		"a program for Windows, as text":     {"a.txt", "MZ\x90\x00\x03\x00"},
		"escapes in a text":                  {"a.txt", "\x1b]52;c;aGk=\x07"},
		"a zero byte in a text":              {"a.txt", "a\x00b"},
		"a text in UTF-16":                   {"a.txt", "\xff\xfeh\x00i\x00"},
		"an empty file":                      {"a.txt", ""},
		"larger than 10 MB":                  {"a.txt", strings.Repeat("x", question.MaxFileSize+1)},
		"a bomb of a PNG":                    {"a.png", hugePNG(50_000, 50_000)},
		"a PNG without pixels":               {"a.png", hugePNG(0, 10)},
	} {
		refused(name, 400, v.uploads("/answer", confirmed(rec.ID, "t0", "x"), f))
	}
	many := func(n int) (out []upload) {
		for i := range n {
			out = append(out, upload{"a.txt", strings.Repeat("x", i+1)})
		}
		return out
	}
	picture := upload{"a.png", string(shot(t))}
	id := url.Values{"id": {rec.ID}}
	refused("larger than all that a form may have", 413,
		v.uploads("/attach", id, upload{"a.txt", strings.Repeat("x", maxUpload+1)}))
	refused("six files", 400, v.uploads("/answer", confirmed(rec.ID, "t0", "x"), many(6)...))
	refused("more files than a question keeps", 400, v.uploads("/attach", id, many(41)...))
	refused("more parts than a form has", 400, v.uploads("/attach", id, many(1100)...))
	refused("no such question", 404, v.uploads("/attach", url.Values{"id": {"../../etc"}}, picture))
	refused("a question that has ended", 400, v.uploads("/answer", confirmed(ended.ID), picture))
	for name, change := range map[string]func(*question.File){
		"a file of another question": func(*question.File) {},
		"a digest that is a path":    func(f *question.File) { f.SHA256 = "../../" + elsewhere.ID + "/" + f.SHA256 },
		"a name that is a path":      func(f *question.File) { f.Name = "../../x.png" },
		"a type that is markup":      func(f *question.File) { f.Type = "text/html" },
	} {
		f := foreign
		change(&f)
		refused(name, 400, v.form("/answer", confirmed(rec.ID, "t0", "x", "f0", encode(t, f))))
	}
	refused("a reference that is no file", 400, v.form("/answer", confirmed(rec.ID, "t0", "x", "f0", "[1]")))
	full := g.store.PutFile(t.Context(), rec.ID, "more", nil, 40)
	if fits := g.store.PutFile(t.Context(), rec.ID, "more", nil, 41); !errors.Is(full, store.ErrTooMany) ||
		fits != nil {
		t.Errorf("not the 40 good ones among too many are kept: %v, %v", full, fits)
	}
	for _, path := range []string{
		rec.ID + "/" + foreign.Key(), rec.ID + "/..%2f..%2fpending%2f" + rec.ID + ".json", "..%2fpending/" + rec.ID +
			".json",
		elsewhere.ID + "/" + foreign.SHA256,
	} {
		if a := g.do(http.MethodGet, "/files/"+path, ""); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for _, text := range []string{
		"\ufeffcaf\u00e9\n", "see <svg onload=alert(1)>", "<user@example.org> wrote:\n", "< old\n---\n> new\n", "<5 ms",
		"<<<<<<< ours\n", "<- back",
	} {
		refused(text, 200, v.uploads("/attach", url.Values{"id": {elsewhere.ID}}, upload{"a.txt", text}))
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none")) // a server that is killed would leave files there
	var large []upload
	for n := range question.MaxFiles {
		large = append(large, upload{"a.bin", strings.Repeat(string(rune('a'+n)), question.MaxFileSize)})
	}
	refused("as much as a form may have", 200, v.uploads("/attach", url.Values{"id": {last.ID}}, large...))
}
