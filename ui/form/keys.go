package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// The keys of every page that have no letter: a letter may begin a word for another program.
const (
	noteKey   = "ctrl+n"
	recallKey = "ctrl+r" // takes over what the user answered before
	roundsKey = "alt+h"  // shows the earlier rounds
	liftKey   = "alt+l"  // lifts the limit of rounds

	delegateKey = "ctrl+y" // leaves the question to the agent: you decide
)

// bindings are the keys of the page, in the order of the footer, which is the same in every
// mode. The keys that move the cursor, and those that name a row, are beside it, see find.
func (p *page) bindings() term.Bindings {
	f, s, m := p.form, p.question(), p.mode()
	types := p.focused() != nil
	lists, asks, several := m == choosing, s != nil, s != nil && s.Several()
	choose, writes := words.T("choose"), types && m != filtering
	if asks && len(s.Options) > 9 {
		choose = words.T("go to")
	}
	readAll := ""
	if p.cut {
		readAll = words.T("read all")
	}
	// A row of the review is a question, which its number opens.
	edit := term.Binding{Keys: "e right", Hint: words.T("edit"), Off: m != reviewing, Do: term.Only(p.edit)}
	numbers := term.Binding{Keys: "1", Hint: choose, Off: !lists}
	if lists {
		numbers.Name = p.numbers()
	}
	return slices.Concat(term.Bindings{
		{Keys: "space", Hint: words.T("mark"), Off: !lists || !several, Do: term.Only(p.pick)},
		{Keys: "enter", Hint: p.onward(), Do: p.enter},
		{Keys: "?", Hint: words.T("keys"), Off: types, Do: term.Only(p.explain)},
		{Keys: "esc", Hint: p.backward(), Do: p.escape},
		{Keys: "tab", Hint: readAll, Off: !asks, Do: term.Only(func() { p.reader = term.TextReader(p.everything()) })},
		edit, numbers,
		{Keys: "alt+enter", Hint: words.T("new line"), Off: !writes},
		{Keys: term.EditKey, Hint: words.T("editor"), Off: !writes},
		{Keys: term.DismissKey, Hint: words.T("dismiss"), Do: func() tea.Cmd { return f.ask(term.Dismiss) }},
		{Keys: term.DiscussKey, Hint: words.T("discuss first"), Do: func() tea.Cmd { return f.ask(term.Discuss) }},
		{Keys: liftKey, Hint: words.T("lift the limit"), Off: f.options.Lift == nil || f.lifted, Do: f.lift},
		{Keys: roundsKey, Hint: words.T("earlier questions"), Off: f.options.Rounds == nil || f.rec.Round <= 1, Do: f.lookBack},
		{Keys: noteKey, Hint: words.T("note"), Off: m == noting, Do: term.Only(p.openNote)},
		{Keys: delegateKey, Hint: words.T("let the agent decide"), Off: !asks || m == noting || s.Confirms(), Do: term.Only(p.delegate)},
		{Keys: "pgup", Name: "pgup/pgdn", Hint: words.T("scroll preview"), Off: !lists || p.previews == nil, Do: p.scrollBy("pgup")},
		{Keys: "pgdown", Off: !lists || p.previews == nil, Do: p.scrollBy("pgdown")},
		{Keys: "s", Hint: words.T("skip"), Off: !lists || s.Required, Do: term.Only(p.skip)},
		{Keys: "/", Hint: words.T("filter"), Off: !lists || s.Confirms(), Do: term.Only(p.beginFilter)},
		{
			Keys: recallKey, Hint: words.T("use your earlier answer again"),
			Off: p.memory == "" || m == noting, Do: term.Only(p.recall),
		},
		{Keys: "up", Hint: words.T("move"), Name: "↑↓", Off: types},
		{Keys: "up", Off: m != writing || !p.entry.AtTop(), Do: term.Only(p.stopWriting)},
		{Keys: "shift+tab", Off: m == noting, Do: p.back},
		{Keys: "left ctrl+b", Off: types, Do: p.back},
	}, p.editNumbers())
}

func (p *page) back() tea.Cmd { p.turn(p.form.set.Back()); return nil }

func (p *page) beginFilter() {
	p.filter = term.NewLineEntry("", "", "/")
	p.filter.Focus()
}

// scrollBy scrolls the preview.
func (p *page) scrollBy(key string) func() tea.Cmd {
	return term.Only(func() { p.scroll.Press(key) })
}

// explain lists the keys.
func (p *page) explain() {
	f := p.form
	leaves := words.Local.Breaking(f.options.Interrupted)
	if f.options.Break {
		leaves = words.T("dismiss; twice leaves, and the question stays open")
	}
	keys := append(p.bindings().Hints(), term.NewHint("ctrl+c", leaves))
	p.reader = term.KeysReader("", term.HintGroup{Title: words.T("Keys on this page"), Hints: keys})
}

// hints are the keys that work now, the most useful first.
func (p *page) hints() []term.Hint {
	switch f := p.form; {
	case f.sending:
		return []term.Hint{term.NewHint("…", words.T("sending"))}
	case f.window.Gate.Waiting():
		return term.WaitingHints(f.window.Width)
	case f.dismissal.Asks():
		return f.dismissal.Hints()
	case p.reader != nil:
		return p.reader.Hints()
	}
	return p.bindings().Hints()
}

// onward says what Enter does.
func (p *page) onward() string {
	s, m := p.question(), p.mode()
	switch {
	case m == noting:
		return words.T("done")
	case m == filtering:
		return words.T("keep")
	case m == writing && s.Several():
		return words.T("mark")
	case s != nil && s.Skipped:
		return words.T("skip")
	case s == nil || !p.form.set.Reviews() && !(p.list != nil && s.LeadsOn(p.list.at)):
		return words.T("send")
	}
	return words.T("next")
}

// backward says what Esc does; empty for nothing.
func (p *page) backward() string {
	m := p.mode()
	switch {
	case m == noting:
		return ""
	case m == writing:
		return words.T("to the options")
	case m == filtering, p.filter != nil:
		return words.T("show all")
	case p.form.set.Previous() != nil:
		return words.T("back")
	case p.form.options.List:
		return words.T("list")
	}
	return ""
}
