package form

import (
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

	// ListKey goes back to the list of the host, which handles it; what was typed is kept.
	ListKey = "ctrl+l"
)

// bindings are the keys of the page, in the order of the footer, which is the same in every
// field. The keys that move the cursor, and those that name a row, are beside it, see find.
func (f *Form) bindings() term.Bindings {
	q, at := f.set.Current(), f.field
	asks, types := q != nil, at != choosing
	options := at == choosing && asks
	writes, notes := types && at != filtering, at == noting
	confirms, several := asks && q.Confirms(), asks && q.Several()
	choose, number, readAll := words.T("choose"), "", ""
	if options {
		number = numbers(q)
	}
	if options && len(q.Options) > 9 {
		choose = words.T("go to")
	}
	if f.cut {
		readAll = words.T("read all")
	}
	edit := func() tea.Cmd { return f.window.Edit(f.entry) }
	if at == ending {
		return term.Bindings{
			{Keys: "enter", Hint: f.onward(), Do: f.enter},
			{Keys: "esc", Hint: f.backward(), Do: f.escape},
			{Keys: term.EditKey, Hint: words.T("editor"), Do: edit},
		}
	}
	flat := !options || f.previews[q.ID] == nil // the page has no preview
	keys := term.Bindings{
		{Keys: "space", Hint: words.T("mark"), Off: !options || !several, Do: term.Action(func() { f.pick(q) })},
		{Keys: "enter", Hint: f.onward(), Do: f.enter},
		{Keys: "?", Hint: words.T("keys"), Off: types, Do: term.Action(f.explain)},
		{Keys: "esc", Hint: f.backward(), Do: f.escape},
		{Keys: ListKey, Hint: words.T("list"), Off: !f.options.List},
		{Keys: "tab", Hint: readAll, Off: !asks && types, Do: term.Action(f.readAll)},
		// A row of the review is a question, which its number opens.
		{Keys: "e right", Hint: words.T("edit"), Off: asks || types, Do: term.Action(func() { f.change(f.at) })},
		{Keys: "1", Name: number, Hint: choose, Off: !options},
		{Keys: "alt+enter", Hint: words.T("new line"), Off: !writes},
		{Keys: term.EditKey, Hint: words.T("editor"), Off: !writes, Do: edit},
		{Keys: term.DismissKey, Hint: words.T("dismiss"), Do: term.Action(func() { f.ask(false) })},
		{Keys: term.DiscussKey, Hint: words.T("discuss first"), Do: term.Action(func() { f.ask(true) })},
		{Keys: liftKey, Hint: words.T("lift the limit"), Off: f.options.Lift == nil || f.lifted, Do: f.lift},
		{Keys: roundsKey, Hint: words.T("earlier questions"), Off: f.options.Rounds == nil || f.rec.Round <= 1,
			Do: f.lookBack},
		{Keys: noteKey, Hint: words.T("note"), Off: notes, Do: term.Action(func() { f.focus(noting) })},
		{
			Keys: delegateKey, Hint: words.T("let the agent decide"), Off: !asks || notes || confirms,
			Do: term.Action(f.delegate),
		},
		{
			Keys: "pgup", Name: "pgup/pgdn", Hint: words.T("scroll preview"), Off: flat,
			Do: term.Action(func() { f.previewY -= previewStep }),
		},
		{Keys: "pgdown", Off: flat, Do: term.Action(func() { f.previewY += previewStep })},
		{Keys: "s", Hint: words.T("skip"), Off: !options || q.Required, Do: term.Action(func() { f.report(q.Skip()) })},
		{Keys: "/", Hint: words.T("filter"), Off: !options || confirms, Do: term.Action(func() { f.focus(filtering) })},
		{
			Keys: recallKey, Hint: words.T("use your earlier answer again"),
			Off: !asks || q.Memory == nil || notes, Do: term.Action(f.recall),
		},
		{Keys: "up", Hint: words.T("move"), Name: "↑↓", Off: types},
		{
			Keys: "up", Off: at != answering || at == f.firstField() || !f.entry.AtTop(),
			Do: term.Action(func() { f.focus(choosing) }),
		},
		{Keys: "shift+tab", Off: notes, Do: term.Action(f.back)},
		{Keys: "left ctrl+b", Off: types, Do: term.Action(f.back)},
	}
	if !asks && !types {
		keys = append(keys, f.changeNumbers()...)
	}
	return keys
}

// explain lists the keys.
func (f *Form) explain() {
	leaves := words.Local.Breaking(f.options.Interrupted)
	if f.options.Break {
		leaves = words.T("dismiss; twice leaves, and the question stays open")
	}
	keys := append(f.bindings().Hints(), term.NewHint("ctrl+c", leaves))
	f.reader = term.KeysReader(words.T("Keys on this page"), keys)
}

// hints are the keys that work now, the most useful first.
func (f *Form) hints() []term.Hint {
	switch {
	case f.sending:
		return []term.Hint{term.NewHint("…", words.T("sending"))}
	case f.window.Gate.Waiting():
		return term.WaitingHints(f.window.Width)
	case f.reader != nil:
		return f.reader.Hints()
	}
	return f.bindings().Hints()
}

// onward says what Enter does.
func (f *Form) onward() string {
	q := f.set.Current()
	switch {
	case f.field == ending && !f.discuss:
		return words.T("dismiss")
	case f.field == ending:
		return words.T("send")
	case f.field == noting:
		return words.T("done")
	case f.field == filtering:
		return words.T("keep")
	case f.field == answering && q.Several():
		return words.T("mark")
	case q != nil && q.Skipped:
		return words.T("skip")
	case q == nil || !f.set.Reviews() && !q.LeadsOn(f.at):
		return words.T("send")
	}
	return words.T("next")
}

// backward says what Esc does; empty for nothing.
func (f *Form) backward() string {
	switch {
	case f.field == noting:
		return ""
	case f.field == filtering, f.field == choosing && f.filter != "":
		return words.T("show all")
	case f.field == answering && f.field != f.firstField():
		return words.T("to the options")
	case f.field == ending, f.set.Previous() != nil:
		return words.T("back")
	}
	return ""
}
