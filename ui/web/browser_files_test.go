//go:build browser

package web

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"mcp-askuser/internal/fatal"
	"mcp-askuser/question"
)

// paste pastes an image from the clipboard, as Ctrl+V does.
func (v *view) paste(image []byte) {
	v.t.Helper()
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		granted := cdpbrowser.SetPermissionParams{Permission: &cdpbrowser.PermissionDescriptor{Name: name},
			Setting: "granted", Origin: v.base}
		call(v, cdpbrowser.SetPermission, granted)
	}
	run(v, chromedp.Evaluate[bool](`(async () => {
		const bytes = Uint8Array.from(atob("`+base64.StdEncoding.EncodeToString(image)+`"), (c) => c.charCodeAt(0));
		await navigator.clipboard.write([new ClipboardItem({ "image/png": new Blob([bytes], { type: "image/png" }) })]);
		return true;
	})()`, chromedp.EvalAwaitPromise))
	key := input.DispatchKeyEventParams{Type: "rawKeyDown", Modifiers: 2, Key: "v", Code: "KeyV",
		WindowsVirtualKeyCode: 86, Commands: []string{"paste"}}
	call(v, input.DispatchKeyEvent, key)
	key.Type, key.Commands = "keyUp", nil
	call(v, input.DispatchKeyEvent, key)
}

// drop drops files on an element.
func (v *view) drop(selector string, paths ...string) {
	v.t.Helper()
	at := v.middle(selector)
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1}
	for _, step := range []input.DispatchDragEventType{"dragEnter", "dragOver", "drop"} {
		call(v, input.DispatchDragEvent, input.DispatchDragEventParams{Type: step, X: at.X, Y: at.Y, Data: data})
	}
}

// shownImages waits until so many images of files are drawn.
func (v *view) shownImages(selector string, n int) {
	v.t.Helper()
	v.wait(`document.querySelectorAll(%[1]q).length === %[2]d &&
		[...document.querySelectorAll(%[1]q)].every((el) => el.naturalWidth > 0)`, selector+" .file img", n)
}

// drafted waits until the draft of a record has so many files.
func (v *view) drafted(id string, n int) {
	v.t.Helper()
	v.drafts(id, func(r question.Reply) bool { return len(r.Files()) == n })
}

// TestBrowserFiles: a screenshot is pasted, a text dropped, and more picked; all are shown
// before anything is sent, one is left out again, and the answer has the others. An answer that was to be
// sent while a file was still on its way is not sent without it. An image that is pasted where no field
// has the focus answers the open question alone.
func TestBrowserFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string][]byte{"server log.txt": []byte("500\n"), "wrong one.png": shot(t),
		"program.png": []byte("\x7fELF\x02\x01")} {
		fatal.If(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	var id, first, second string
	v := browse(t, wide, func(g *rig) {
		id = g.ask("s", single("db"), open("q")).ID
		first, second = g.ask("s", open("q")).ID, g.ask("t", open("r")).ID
	})
	v.hasten()
	files := "[id='" + id + "-1-files']"
	pick := func(name string) {
		t.Helper()
		v.do(chromedp.SetUploadFiles(chromedp.CSS(files+" [type=file]"), []string{filepath.Join(dir, name)}))
	}
	v.click(chosen(id, 0, "0"))
	v.focus(inWords(id, 1))
	v.paste(shot(t))
	v.shownImages(files, 1)
	v.drop("[id='"+id+"-1']", filepath.Join(dir, "server log.txt"))
	v.shows(files, "server log.txt (text/plain, 4 B)")
	pick("program.png")
	v.shows("#news", `The file "program.png" cannot be attached`)
	pick("wrong one.png")
	v.shows(files, "wrong one.png")
	v.gone("#news .late") // what went wrong is no longer said
	v.shownImages(files, 2)
	v.drafted(id, 3)
	v.click(files + " .file:last-of-type [type=checkbox]")
	eval[bool](v, `(window.chosen = 0, addEventListener("click", (event) => {
		if (event.target.type === "file") event.preventDefault(window.chosen++);
	}), true)`)
	v.focus(files + " [type=file]")
	v.keys(kb.Enter) // opens the browser's dialog
	v.wait(`window.chosen === 1`)
	v.pending(id)
	v.drafted(id, 2)
	v.visit("/?id=" + id) // the draft has them
	v.shownImages(files, 1)
	v.accessible()
	v.fits()
	v.write(inWords(id, 1), "The button is cut off.")
	v.click(within(id, confirmButton))
	v.answered(id)
	var names []string
	for _, f := range v.reply(id).Files() {
		names = append(names, f.Name)
	}
	if a := v.reply(id).Answer("q"); !slices.Equal(names, []string{"image.png", "server log.txt"}) ||
		a.Custom != "The button is cut off." {
		t.Errorf("recorded %v, %+v", names, a)
	}

	v.write(inWords(first, 0), "as in the picture")
	eval[bool](v, `(attach(document.querySelector(".files [type=file]"), [new File(["no image"], "a.png")]),
		openForm().requestSubmit(document.querySelector(".main")), true)`)
	v.shows("#news", `The file "a.png" cannot be attached`)
	v.wait(`!openForm().ariaBusy`)
	v.pending(first)
	v.click(within(first, confirmButton))
	if a := v.ended(first).Answers[0]; len(a.Files) != 0 || a.Custom != "as in the picture" {
		t.Errorf("recorded %+v", a)
	}
	v.shows("#r-"+second, "What is wrong")
	v.paste(shot(t))
	eval[bool](v, `(attach(document.querySelector(".files [type=file]"), [new File(["500"], "log.txt")]), true)`)
	v.shows(".files", "log.txt") // while the other one was on its way
	v.shownImages(".files", 1)
	v.click(within(second, confirmButton))
	if a := v.ended(second).Answers[0]; len(a.Files) != 2 || a.Custom != "" || a.Files[0].Type != "image/png" {
		t.Errorf("recorded %+v", a)
	}
	v.shows("#none", "Nothing waits for you")
	v.click("[href='/history']")
	v.shownImages(".past", 2)
}
