package form

import (
	"os"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/dialogue"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// The keys for files are the same on every page.
const (
	attachKey = "ctrl+o"
	detachKey = "alt+o"
)

// attaches reports whether the answer on the page takes files.
func (p *page) attaches() bool { return p.id != "" && p.form.options.Attach != nil }

// openPicker begins with the path in the entry, if it is one, else with the working directory.
func (p *page) openPicker() {
	path := ""
	if dir, err := os.Getwd(); err == nil {
		path = filepath.Clean(dir) + string(filepath.Separator)
	}
	if e := p.focused(); e != nil {
		if dropped, ok := term.DroppedPath(e.Text()); ok {
			path = dropped
		}
	}
	p.picker = term.NewPicker(path)
}

// pickFile hands a key to the picker. The file that it picks is attached while the page stays in
// use; a path of it that was typed as the answer is replaced.
func (p *page) pickFile(msg tea.Msg) tea.Cmd {
	path, done := p.picker.Press(msg)
	if done {
		p.picker = nil
	}
	if path == "" {
		return nil
	}
	return func() tea.Msg {
		file, err := p.form.options.Attach(path)
		return term.Then(term.Only(func() {
			if err != nil {
				p.form.notice = question.Line(err.Error())
				return
			}
			p.form.notice = words.T("Attached: %s", file.String()) // the page may be too long to show it
			if !p.act(dialogue.Attach{File: file}).Draft {         // the notice says why
				return
			}
			if e := p.focused(); e != nil && !p.writesNote() {
				if typed, ok := term.DroppedPath(e.Text()); ok && typed == path {
					e.Set("")
					p.takeOver()
				}
			}
		}))
	}
}

func (p *page) detach() {
	files := p.step().Files
	last := files[len(files)-1]
	p.act(dialogue.Detach{File: last})
	p.form.notice = words.T("Left out: %s", last.String())
}
