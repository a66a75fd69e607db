package term

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/width"

	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/words"
)

// The keys that dismiss, and discuss first, in every form and list.
const (
	DismissKey = "ctrl+x"
	DiscussKey = "ctrl+d"
)

// Hint is a key and its effect.
type Hint struct{ Key, Does string }

// NewHint returns a hint.
func NewHint(key, does string) Hint { return Hint{key, does} }

// Binding is keys and their effect.
type Binding struct {
	Keys string         // names, with blanks between them
	Name string         // of all of them, in a hint; empty is the first
	Hint string         // the effect in a word or two; empty for no hint
	Kind gate.Kind      // what they mean to the gate
	Off  bool           // without effect now
	Do   func() tea.Cmd // nil if another function handles the keys
}

// Action makes a Do of a function without a command.
func Action(do func()) func() tea.Cmd { return func() tea.Cmd { do(); return nil } }

// Bindings are keys and their effects, the most useful first.
type Bindings []Binding

// Find returns the binding of a key; nil is none.
func (b Bindings) Find(name string) *Binding {
	name = width.Fold.String(name) // as an input method types them
	for _, x := range b {
		if !x.Off && x.Do != nil && slices.Contains(strings.Fields(x.Keys), name) {
			return &x
		}
	}
	return nil
}

// Hints returns those with an effect now.
func (b Bindings) Hints() (out []Hint) {
	for _, x := range b {
		if !x.Off && x.Hint != "" {
			out = append(out, Hint{cmp.Or(x.Name, strings.Fields(x.Keys)[0]), x.Hint})
		}
	}
	return out
}

// hintLine shows the hints that fit whole, the most important first. The help line of bubbles
// would stop at the first that does not fit.
func hintLine(s *Styles, hints []Hint, width int) string {
	line, separator := "", ""
	for _, h := range hints {
		longer := line + separator + s.Key.Render(h.Key) + " " + s.Muted.Render(h.Does)
		if ansi.StringWidth(longer) <= width {
			line, separator = longer, s.Muted.Render(" · ")
		}
	}
	return line
}

// WaitingHints replace all others while keys do not count (gate.Gate).
func WaitingHints(width int) []Hint {
	does := words.T("waiting for a pause in your typing")
	if ansi.StringWidth("… "+does) > width-2 {
		does = words.T("pause to answer")
	}
	return []Hint{NewHint("…", does)}
}

// KeysReader lists keys, one to a line.
func KeysReader(title string, keys []Hint) *Reader {
	return NewReader("", func(s *Styles, width int) []string {
		var pairs [][2]string
		for _, k := range keys {
			pairs = append(pairs, [2]string{k.Key, k.Does})
		}
		return append([]string{s.Strong.Render(title)}, Table(s.Key, 11, pairs, width)...)
	})
}

// Table lists names in a style, and beside them their values, at this column or further
// right.
func Table(style lipgloss.Style, column int, pairs [][2]string, width int) (lines []string) {
	for _, p := range pairs {
		column = max(column, ansi.StringWidth(p[0])+1)
	}
	for _, p := range pairs {
		lines = append(lines, HangingIndent(style.Render(Pad(p[0], column)), Safe(p[1]), width)...)
	}
	return lines
}
