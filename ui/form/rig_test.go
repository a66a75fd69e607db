package form

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// rig is a form on a terminal of a fixed size, with a clock and a commit of
// the test's own.
type rig struct {
	t      testing.TB
	f      *Form
	now    time.Time
	w, h   int
	fail   error            // what commit returns
	sent   []question.Reply // what commit was given
	quit   bool
	checks bool // commit refuses what the set refuses
}

// open shows a set at this size and lets the grace time pass.
func open(t testing.TB, w, h int, qs ...question.Question) *rig {
	t.Helper()
	return fresh(t, w, h, record(qs...)).show()
}

// show gives the form its size and lets the grace time pass.
func (r *rig) show() *rig {
	r.t.Helper()
	r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
	r.now = r.now.Add(grace)
	return r
}

func fresh(t testing.TB, w, h int, rec desk.Record, opts ...Option) *rig {
	r := &rig{t: t, now: time.Unix(0, 0).UTC(), w: w, h: h}
	r.f = New(rec, func(reply question.Reply) error {
		r.sent = append(r.sent, reply)
		if r.checks {
			if _, err := rec.Check(reply); err != nil {
				return err
			}
		}
		return r.fail
	}, append(opts, WithClock(func() time.Time { return r.now }))...)
	return r
}

func record(qs ...question.Question) desk.Record {
	return desk.Record{
		ID: "01J", Round: 1, State: desk.Pending,
		Asker: desk.Asker{Client: "claude-code", Directory: "/home/ada/shop"},
		Set:   question.Set{Questions: qs},
	}
}

// send delivers a message and everything that its commands lead to.
func (r *rig) send(msg tea.Msg) {
	r.t.Helper()
	_, cmd := r.f.Update(msg)
	r.run(cmd)
}

func (r *rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.QuitMsg:
		r.quit = true
	case tea.BatchMsg:
		for _, c := range msg {
			r.run(c)
		}
	default:
		r.send(msg)
	}
}

// keys presses keys by name; what is no name is typed.
func (r *rig) keys(names ...string) *rig {
	r.t.Helper()
	for _, name := range names {
		if k, ok := named(name); ok {
			r.send(k)
			continue
		}
		for _, c := range name {
			r.send(tea.KeyPressMsg{Text: string(c), Code: c})
		}
	}
	return r
}

func named(name string) (tea.KeyPressMsg, bool) {
	var k tea.KeyPressMsg
	base := name
	for prefix, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if rest, ok := strings.CutPrefix(base, prefix); ok {
			base, k.Mod = rest, mod
		}
	}
	code, ok := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace,
		"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"backspace": tea.KeyBackspace,
	}[base]
	switch {
	case ok:
		k.Code = code
		if base == "space" {
			k.Text = " "
		}
	case k.Mod != 0 && utf8.RuneCountInString(base) == 1:
		k.Code, _ = utf8.DecodeRuneInString(base)
	default:
		return k, false
	}
	return k, true
}

// screen is what a terminal of that size shows: text, and where its cursor is.
func (r *rig) screen() string {
	v := r.f.View()
	term := vt.NewEmulator(r.w, r.h)
	defer term.Close()
	_, _ = term.WriteString(strings.ReplaceAll(v.Content, "\n", "\r\n"))
	var b strings.Builder
	for line := range strings.SplitSeq(term.String(), "\n") {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	text := strings.TrimRight(b.String(), "\n") + "\n"
	if v.Cursor != nil {
		text += fmt.Sprintf("cursor at column %d, line %d\n", v.Cursor.X+1, v.Cursor.Y+1)
	}
	return text
}

// golden compares got with a file, which -update rewrites.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s\nwant:\n%s", path, got, want)
	}
}

// last is the one reply that was sent.
func (r *rig) last() question.Reply {
	r.t.Helper()
	if len(r.sent) != 1 {
		r.t.Fatalf("committed %d replies, want 1: %+v", len(r.sent), r.sent)
	}
	return r.sent[0]
}
