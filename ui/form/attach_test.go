package form

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/question"
	"mcp-askuser/ui/term/act"
	"mcp-askuser/ui/words"
)

// attaching attaches whatever file the human picks, but those that are refused.
func attaching(o *Options) {
	o.Attach = func(path string) (question.File, error) {
		data, err := os.ReadFile(path)
		if err != nil {
			return question.File{}, err
		}
		f, err := question.NewFile(filepath.Base(path), data)
		if faults, refused := errors.AsType[question.Violations](err); refused {
			err = errors.New(faults[0].In(words.T))
		}
		return f, err
	}
}

// atHome makes a home directory with some files.
func atHome(t *testing.T) (home string) {
	t.Helper()
	home = t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for name, content := range map[string]string{
		"notes.txt": "one\n", "lying.png": "text\n", "the log of the first night.txt": "a\nb\n", "截图 一.txt": "c\n", "shots/one.txt": "x\n", "e\x1b[31mvil.txt": "y\n",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func (r *rig) files() (names []string) {
	for _, a := range r.f.dialogue.Draft().Answers {
		for _, f := range a.Files {
			names = append(names, f.Name)
		}
	}
	return names
}

// TestAttach: ctrl+o picks, alt+o leaves out, and the reply has the files.
func TestAttach(t *testing.T) {
	home := atHome(t) + string(filepath.Separator)
	t.Chdir(home)
	paste := func(r *rig, text string) { r.send(tea.PasteMsg{Content: text}) }
	for _, tc := range []struct {
		name   string
		q      question.Question
		opts   []option
		do     func(*rig)
		files  []string
		notice string
		custom string // of the reply
	}{
		{name: "pick", q: database(), do: func(r *rig) { r.keys("2", "ctrl+o", "no", "enter") }, files: []string{"notes.txt"}},
		{name: "two", q: database(), do: func(r *rig) { r.keys("2", "ctrl+o", "no", "enter", "ctrl+o", "the", "enter") }, files: []string{"notes.txt", "the log of the first night.txt"}},
		{name: "leave the last out", q: database(), do: func(r *rig) { r.keys("2", "ctrl+o", "no", "enter", "ctrl+o", "the", "enter", "alt+o") }, files: []string{"notes.txt"}, notice: "Left out: the log of the first night.txt (text/plain, 4 B)"},
		{name: "refused", q: database(), do: func(r *rig) { r.keys("2", "ctrl+o", "ly", "enter") }, notice: `the file "lying.png" cannot be attached; PNG, JPEG, GIF, WebP, PDF and plain text can, each under its own ending`},
		{name: "a sixth", q: database(), do: func(r *rig) {
			r.keys("2")
			for range 6 {
				r.keys("ctrl+o", "no", "enter")
			}
		}, files: slices.Repeat([]string{"notes.txt"}, 5), notice: "This answer takes at most 5 files, got 6."},
		{name: "back", q: database(), do: func(r *rig) { r.keys("2", "ctrl+o", "no", "esc") }},
		{name: "back in a list of questions", q: database(), opts: []option{func(o *Options) { o.List = true }}, do: func(r *rig) { r.keys("2", "ctrl+o", "no", "esc") }},
		{name: "drop in a list", q: database(), do: func(r *rig) { r.keys("2"); paste(r, "'"+home+"notes.txt'"); r.wait(act.Quiet); r.keys("enter") }, files: []string{"notes.txt"}},
		{name: "drop in a text", q: name(), do: func(r *rig) {
			paste(r, home+`the\ log\ of\ the\ first\ night.txt`)
			r.wait(act.Quiet)
			r.keys("ctrl+o", "enter")
		}, files: []string{"the log of the first night.txt"}},
		{name: "path as text", q: name(), do: func(r *rig) { paste(r, home+"notes.txt") }, notice: "ctrl+o attaches this file.", custom: home + "notes.txt"},
		{name: "beside a text", q: name(), do: func(r *rig) { r.keys("see the file", "ctrl+o", "no", "enter") }, files: []string{"notes.txt"}, custom: "see the file"},
		{name: "several", q: features(), do: func(r *rig) { r.keys("1", "ctrl+o", "no", "enter") }, files: []string{"notes.txt"}},
		{name: "yes or no", q: deploy(), do: func(r *rig) { r.keys("y", "ctrl+o", "no", "enter") }, files: []string{"notes.txt"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := fresh(t, 80, 24, record(tc.q), append(tc.opts, attaching)...).show()
			r.checks = true
			tc.do(r)
			if got := r.files(); !slices.Equal(got, tc.files) || !strings.Contains(r.f.notice, tc.notice) || r.f.page().picker != nil || r.f.State() != Open {
				t.Errorf("files %q, notice %q:\n%s", got, r.f.notice, r.screen())
			}
			checkScreen(t, r)
			if len(tc.files) == 0 && tc.custom == "" {
				return
			}
			r.keys("enter")
			r.wait(act.Quiet)
			if a := r.last().Answers[0]; len(a.Files) != len(tc.files) || a.Custom != tc.custom {
				t.Errorf("sent %+v", a)
			}
		})
	}
}

// TestNoFiles: where the desk takes none, no key picks one, and a path is only text.
func TestNoFiles(t *testing.T) {
	home := atHome(t)
	r := open(t, 80, 24, name()).keys("ctrl+o")
	r.send(tea.PasteMsg{Content: filepath.Join(home, "notes.txt")})
	if r.f.page().picker != nil || r.f.notice != "" {
		t.Errorf("the screen:\n%s", r.screen())
	}
}

// TestPickedElsewhere: keys for another program leave neither a picker nor a file.
func TestPickedElsewhere(t *testing.T) {
	home := atHome(t)
	t.Chdir(home)
	for _, pace := range paces {
		r := fresh(t, 80, 24, record(database()), attaching, withOrigin(act.Appeared)).show()
		r.wait(act.Quiet)
		for _, key := range []string{"ctrl+o", "n", "esc", "z"} {
			r.keys(key)
			r.wait(pace)
		}
		if r.untouched(pace); r.f.page().picker != nil || len(r.files()) > 0 {
			t.Errorf("left:\n%s", r.screen())
		}
		r.send(tea.PasteMsg{Content: filepath.Join(home, "notes.txt")}) // awaits quiet
		if r.untouched(pace); r.f.page().picker != nil {
			t.Errorf("a paste opened the picker:\n%s", r.screen())
		}
	}
}

// TestFileScreens holds the picker, a page with files and the review of one.
func TestFileScreens(t *testing.T) {
	for _, s := range []scene{
		{name: "picker", rec: record(database()), keys: []string{"ctrl+o", "ctrl+u", "~/"}},
		{name: "picker-moved", rec: record(database()), keys: []string{"ctrl+o", "ctrl+u", "~/", "down", "down"}},
		{name: "picker-nothing", rec: record(database()), keys: []string{"ctrl+o", "ctrl+u", "~/absent"}},
		{name: "files", rec: record(database()), keys: []string{"2", "ctrl+o", "ctrl+u", "~/no", "enter", "ctrl+o", "ctrl+u", "~/the", "enter"}},
		{name: "files-text", rec: record(name()), keys: []string{"ctrl+o", "ctrl+u", "~/no", "enter", "As in the file"}},
		{name: "files-refused", rec: record(name()), keys: []string{"ctrl+o", "ctrl+u", "~/ly", "enter"}},
		{name: "files-review", rec: record(name(), deploy()), keys: []string{"ctrl+o", "ctrl+u", "~/no", "enter", "enter", "enter"}},
	} {
		atHome(t)
		s.opts = append(s.opts, attaching)
		for _, size := range [][2]int{{80, 24}, {40, 10}} {
			w, h := size[0], size[1]
			check(t, fmt.Sprintf("%s-%dx%d", s.name, w, h), s.on(t, w, h).screen())
		}
	}
	defer func(was words.Language) { words.Local = was }(words.Local)
	words.Local = words.Chinese
	s := scene{name: "files-chinese", rec: record(chinese()), opts: []option{attaching}, keys: []string{"2", "ctrl+o", "ctrl+u", "~/截", "enter"}}
	check(t, s.name+"-40x10", s.on(t, 40, 10).screen())
	s.keys = []string{"ctrl+o", "ctrl+u", "~/", "down"}
	check(t, "picker-chinese-40x10", s.on(t, 40, 10).screen())
}
