//go:build browser && unix

package picture

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"mcp-askuser/internal/browsertest"
	"mcp-askuser/internal/termtest"
)

var to = flag.String("picture", "", "write the moving picture to this file")

const cols, rows = 80, 24

// TestRecord answers a question of the real program in the real terminal form,
// and another on its page, and writes down what was seen.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "bin", "mcp-askuser"), "./cmd/mcp-askuser")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := recorder{t: t, env: append(os.Environ(),
		"PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "MCP_ASKUSER_DIR="+filepath.Join(dir, "desk"), "MCP_ASKUSER_CONFIG="+os.DevNull,
		"TERM=xterm-256color", "COLORTERM=truecolor", "LC_ALL=C.UTF-8", "PS1=$ ", "ENV=", "HOME="+dir, "CI=", "TMUX=", "NO_COLOR=", "ACCESSIBLE=")}
	r.dir = filepath.Join(dir, "shop")
	if err := os.Mkdir(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.terminal()
	r.page()
	picture := SVG("A question is answered in the terminal, and another on the page", cols, rows, r.frames, 2)
	if len(picture) > most {
		t.Fatalf("the picture has %d bytes, more than %d", len(picture), most)
	}
	if *to != "" {
		if err := os.WriteFile(*to, picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

type recorder struct {
	t      *testing.T
	dir    string
	env    []string
	frames []Frame
}

func (r *recorder) terminal() {
	cmd := exec.Command("sh", "-i")
	cmd.Dir, cmd.Env = r.dir, r.env
	x := termtest.Start(r.t, cmd, cols, rows)
	see := func(text string, d time.Duration) {
		r.t.Helper()
		x.WaitFor(text)
		r.frames = append(r.frames, Frame{Title: "in the terminal", Cells: x.Cells(), For: d})
	}
	press := func(keys string) {
		<-time.After(time.Second) // as a hand does, which has read what it answers
		x.Type(keys)
	}
	x.WaitFor("$")
	x.Type("mcp-askuser demo")
	see("mcp-askuser demo", time.Second)
	x.Type("\r")
	see("MongoDB", 2500*time.Millisecond)
	press("2")
	see("(•) SQLite", 1500*time.Millisecond)
	press("\r")
	see("Audit log", 1200*time.Millisecond)
	press("1")
	see("[x] Audit log", 700*time.Millisecond)
	press("3")
	see("[x] Export as CSV", 1200*time.Millisecond)
	press("\r")
	see("What should the service be called?", time.Second)
	press("orders")
	see("orders", 1200*time.Millisecond)
	press("\r")
	see("Review", 1500*time.Millisecond)
	press("\r")
	x.Until("the prompt", func() bool { return strings.HasSuffix(x.Screen(), "\n$") })
	see("answered", 3*time.Second)
	x.Type("exit\r")
	x.Wait()
}

func (r *recorder) page() {
	ctx, stop := context.WithTimeout(r.t.Context(), 2*time.Minute)
	defer stop()
	web := exec.CommandContext(ctx, filepath.Join(r.dir, "..", "bin", "mcp-askuser"), "web")
	web.Env, web.Dir = r.env, r.dir
	out, err := web.StdoutPipe()
	r.check(err)
	r.check(web.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	r.check(err)
	address, err := url.Parse(strings.TrimSpace(line))
	r.check(err)
	for _, ask := range []string{
		`{"agent_id":"claude-code","directory":"/home/ada/shop","questions":[{"question":"Deploy version 2.4 to production now?","header":"Deploy","options":[{"label":"Deploy","description":"Takes four minutes; no downtime"},{"label":"Staging first","description":"Production tomorrow"},{"label":"Not yet"}]}]}`,
		`{"agent_id":"codex","directory":"/home/ada/site","questions":[{"question":"Which pages need a translation first?","header":"Pages","multiSelect":true,"options":[{"label":"Checkout"},{"label":"Account"},{"label":"Help"}]}]}`,
	} {
		go r.ask(ctx, address, ask)
		r.asked(ctx, address, ask)
	}

	tab, end, err := browsertest.Start()
	r.check(err)
	defer end()
	do := func(steps ...chromedp.Action[chromedp.Void]) { r.t.Helper(); r.check(chromedp.Do(tab, steps...)) }
	until := func(expression string) {
		r.t.Helper()
		for {
			ok, err := chromedp.Run(tab, chromedp.Evaluate[bool]("!!("+expression+")"))
			r.check(err)
			if ok {
				return
			}
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
				r.t.Fatalf("the page does not come to %s", expression)
			}
		}
	}
	see := func(expression string, d time.Duration) {
		r.t.Helper()
		until(expression)
		<-time.After(300 * time.Millisecond) // what moves has come to rest
		quality := int64(80)
		shot, err := chromedp.Call(tab, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatWebp, Quality: &quality})
		r.check(err)
		r.frames = append(r.frames, Frame{Title: "on the page", WebP: shot.Data, For: d})
	}
	const width, height = 1000, 622
	do(chromedp.EmulateViewport(width, height))
	_, err = chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	r.check(err)
	do(chromedp.Navigate(address.String()))
	see(`document.body?.innerText.includes("Staging first")`, 2500*time.Millisecond)
	card := `[...document.querySelectorAll("article.card")].find((c) => c.innerText.includes("Staging first"))`
	id, err := chromedp.Run(tab, chromedp.Evaluate[string](card+".id"))
	r.check(err)
	<-time.After(time.Second) // the page takes no click on what has only just come
	do(chromedp.Click(chromedp.CSS("#"+id+` [name="q0"][value="1"]`), chromedp.NodeVisible))
	see(`document.querySelector("#`+id+` [name=q0][value='1']").checked`, 1500*time.Millisecond)
	<-time.After(time.Second) // nor on what has only just changed
	do(chromedp.Click(chromedp.CSS("#"+id+" button.main"), chromedp.NodeVisible))
	see(`document.querySelector("#news")?.innerText.includes("Sent")`, 3*time.Second)
	r.check(web.Process.Signal(os.Interrupt))
	_ = web.Wait()
}

// ask asks over the page's API, and waits as an agent does.
func (r *recorder) ask(ctx context.Context, address *url.URL, body string) {
	resp, err := r.request(ctx, address, http.MethodPost, "/api/questions?wait=100", body)
	if err == nil {
		_ = resp.Body.Close()
	}
}

// asked waits until the question of an ask is on the desk.
func (r *recorder) asked(ctx context.Context, address *url.URL, ask string) {
	var want struct {
		Agent string `json:"agent_id"`
	}
	r.check(json.Unmarshal([]byte(ask), &want))
	for {
		resp, err := r.request(ctx, address, http.MethodGet, "/api/questions", "")
		r.check(err)
		var all bytes.Buffer
		_, err = all.ReadFrom(resp.Body)
		r.check(err)
		_ = resp.Body.Close()
		if strings.Contains(all.String(), want.Agent) {
			return
		}
		<-time.After(50 * time.Millisecond)
	}
}

func (r *recorder) request(ctx context.Context, address *url.URL, method, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+address.Host+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+address.Query().Get("token"))
	req.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(req)
}

func (r *recorder) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}
