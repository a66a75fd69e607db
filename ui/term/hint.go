package term

import (
	"cmp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"mcp-askuser/ui/words"
)

// Hint is a key and its effect.
type Hint = key.Binding

// NewHint returns a hint that is shown only.
func NewHint(name, does string) Hint {
	return key.NewBinding(key.WithKeys(name), key.WithHelp(name, does))
}

// Binding is keys and their effect.
type Binding struct {
	Keys string         // names, with blanks between them
	Name string         // of all of them, in a hint; empty is the first
	Hint string         // the effect in a word or two; empty for no hint
	Help string         // the effect in the list of all keys; empty for not listed
	Off  bool           // without effect now
	Do   func() tea.Cmd // nil if another function handles the keys
}

// Only makes a Do of a function without a command.
func Only(do func()) func() tea.Cmd { return func() tea.Cmd { do(); return nil } }

func (b Binding) has(name string) bool { return slices.Contains(strings.Fields(b.Keys), name) }

func (b Binding) hint(does string) Hint {
	keys := strings.Fields(b.Keys)
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(cmp.Or(b.Name, keys[0]), does))
}

// Bindings are keys and their effects, the most useful first.
type Bindings []Binding

// Find returns the effect of a key; nil is none. Known says that it is one of the keys,
// also one without effect now.
func (b Bindings) Find(name string) (do func() tea.Cmd, known bool) {
	for _, x := range b {
		known = known || x.has(name)
		if !x.Off && x.has(name) && x.Do != nil {
			return x.Do, true
		}
	}
	return nil, known
}

// Hints returns those with an effect now.
func (b Bindings) Hints() (out []Hint) {
	for _, x := range b {
		if !x.Off && x.Hint != "" {
			out = append(out, x.hint(x.Hint))
		}
	}
	return out
}

// Hidden returns the same keys without their hints.
func (b Bindings) Hidden() Bindings {
	out := slices.Clone(b)
	for i := range out {
		out[i].Hint = ""
	}
	return out
}

// Help returns all that have a help, also those without effect now.
func (b Bindings) Help() (out []Hint) {
	for _, x := range b {
		if x.Help != "" {
			out = append(out, x.hint(x.Help))
		}
	}
	return out
}

// hintLine shows the hints that fit whole, the most important first. The help line of huh
// would stop at the first that does not fit.
func hintLine(s *Styles, hints []Hint, width int) string {
	h := help.New()
	h.Styles, h.ShortSeparator = s.Huh().Help, " · "
	line := ""
	var fit []Hint
	for _, hint := range hints {
		if longer := h.ShortHelpView(append(fit, hint)); ansi.StringWidth(longer) <= width {
			fit, line = append(fit, hint), longer
		}
	}
	return line
}

// WaitingHints replace all others while keys do not count (act.Gate).
func WaitingHints(width int) []Hint {
	does := words.T("waiting for a pause in your typing")
	if ansi.StringWidth("… "+does) > width-2 {
		does = words.T("pause to answer")
	}
	return []Hint{NewHint("…", does)}
}

// HintGroup is hints under a heading.
type HintGroup struct {
	Title string
	Hints []Hint
}

// KeysReader lists keys, one to a line.
func KeysReader(title string, groups ...HintGroup) *Reader {
	return NewReader(title, func(s *Styles, width int) []string {
		var lines []string
		for i, g := range groups {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, s.Strong.Render(g.Title))
			var pairs [][2]string
			for _, h := range g.Hints {
				pairs = append(pairs, [2]string{h.Help().Key, h.Help().Desc})
			}
			lines = append(lines, Table(s.Key, 11, pairs, width)...)
		}
		return lines
	})
}

// Table lists names in a style, and beside them their values, at this column or further
// right.
func Table(style lipgloss.Style, column int, pairs [][2]string, width int) (lines []string) {
	for _, p := range pairs {
		column = max(column, ansi.StringWidth(p[0])+1)
	}
	for _, p := range pairs {
		lines = append(lines, Hang(style.Render(Pad(p[0], column)), p[1], width)...)
	}
	return lines
}
