package term

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// Picker has the human pick a file by its path, in place of a page: below the path are the
// names in its directory that begin as it ends. Names that cannot be shown as they are, are
// not among them.
type Picker struct {
	entry  *Entry
	dir    string   // whose names were read
	all    []string // of dir; a directory's ends with a separator
	names  []string // of all, those that fit
	cursor int      // among names; -1 for none
}

// NewPicker returns a picker that begins with a path.
func NewPicker(path string) *Picker {
	p := &Picker{entry: NewLineEntry(path, "", words.T("File: "))}
	p.entry.Focus()
	p.match()
	return p
}

const separator = string(filepath.Separator)

// match finds the names that fit the path.
func (p *Picker) match() {
	dir, begin := filepath.Split(Expanded(p.entry.Text()))
	if dir != p.dir || p.all == nil {
		p.dir, p.all = dir, []string{}
		files, _ := os.ReadDir(cmp.Or(dir, ".")) // none where there is no such directory
		for _, f := range files {
			name, kind := f.Name(), f.Type()
			if kind&os.ModeSymlink != 0 {
				if target, err := os.Stat(filepath.Join(dir, name)); err == nil {
					kind = target.Mode()
				}
			}
			if kind.IsDir() {
				name += separator
			}
			if question.Line(name) == name && (kind.IsDir() || kind.IsRegular()) {
				p.all = append(p.all, name)
			}
		}
	}
	p.cursor, p.names = -1, nil
	for _, name := range p.all {
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(begin)) && (begin != "" || !strings.HasPrefix(name, ".")) {
			p.names = append(p.names, name)
		}
	}
}

// Press handles a key or a paste. It is done with the path of a file, or with none when the
// human goes back.
func (p *Picker) Press(msg tea.Msg) (path string, done bool) {
	key, _ := msg.(tea.KeyPressMsg)
	switch name := key.String(); name {
	case "esc":
		return "", true
	case "up", "down", "pgup", "pgdown":
		by, _ := Step(name, 5)
		p.cursor = min(max(p.cursor+by, 0), len(p.names)-1)
	case "tab", "enter":
		typed := p.entry.Text()
		if path = Expanded(typed); name == "enter" && p.cursor < 0 && isFile(path) {
			return path, true
		}
		if p.cursor < 0 && len(p.names) != 1 {
			p.cursor = min(0, len(p.names)-1)
			return "", false
		}
		p.entry.Set(typed[:strings.LastIndex(typed, separator)+1] + p.names[max(p.cursor, 0)])
		p.match()
		if path = Expanded(p.entry.Text()); name == "enter" && isFile(path) {
			return path, true
		}
	default:
		if (key.Text == separator || key.Text == "~") && strings.HasSuffix(p.entry.Text(), separator) {
			p.entry.Set("") // a path of its own begins
		}
		if paste, ok := msg.(tea.PasteMsg); ok {
			if dropped, ok := DroppedPath(paste.Content); ok {
				p.entry.Set("")
				msg = tea.PasteMsg{Content: dropped}
			}
		}
		_ = p.entry.Press(msg) // only the editor fails, which a line has not
		p.match()
	}
	return "", false
}

// Hints are the keys that work in it.
func (p *Picker) Hints() []Hint {
	return []Hint{NewHint("enter", words.T("attach")), NewHint("esc", words.T("back")), NewHint("↑↓", words.T("move")), NewHint("tab", words.T("complete"))}
}

// Draw shows the path and the names.
func (p *Picker) Draw(s *Styles, width, rows int) Block {
	b := p.entry.Draw(s, width, 1)
	b.Pinned = len(b.Lines)
	var list Block
	for i, name := range p.names {
		line := "  " + Cut(name, max(width-2, 1))
		if i == p.cursor {
			line = s.Cursor.Render("❯ " + Cut(name, max(width-2, 1)))
			list.Top, list.Bottom = i, i
		}
		list.Lines = append(list.Lines, line)
	}
	if len(p.names) == 0 {
		list.Lines = []string{s.Muted.Render(Cut("  "+words.T("No file begins like this."), width))}
	}
	b.Add(list)
	return b.Window(rows, width)
}

// DroppedPath returns the path of the one file that a text names as terminals do where one
// is dropped: quoted, with escaped blanks, or as an address.
func DroppedPath(text string) (path string, ok bool) {
	text = strings.TrimSpace(text)
	if n := len(text); n > 1 && text[0] == text[n-1] && strings.ContainsAny(text[:1], `'"`) {
		text = strings.ReplaceAll(text[1:n-1], `'\''`, "'") // as a shell quotes one
	}
	paths := []string{text, strings.ReplaceAll(text, `\`, "")}
	if u, err := url.Parse(text); err == nil && u.Scheme == "file" {
		paths = append(paths, filepath.FromSlash(u.Path))
	}
	i := slices.IndexFunc(paths, func(path string) bool { return filepath.IsAbs(path) && question.Line(path) == path && isFile(path) })
	if i < 0 {
		return "", false
	}
	return paths[i], true
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Expanded is a path with the home directory in place of ~.
func Expanded(path string) string {
	home, err := os.UserHomeDir()
	if rest, below := strings.CutPrefix(path, "~"+separator); below && err == nil {
		return filepath.Join(home, rest) + strings.Repeat(separator, strings.Count(path[len(path)-1:], separator))
	}
	return path
}
