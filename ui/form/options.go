package form

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/text/width"

	"mcp-askuser/question"
	"mcp-askuser/ui/answer"
	"mcp-askuser/ui/term"
)

// first is the row where the cursor begins: the first where several may be marked, or else
// the one that is marked, or else the declared default; on a yes only where the user has
// marked it.
func first(q *answer.Question) int {
	if q.Several() {
		return 0
	}
	for i, r := range q.Choices() {
		if r.Marked && r.Kind != answer.LeaveOpen {
			return i
		}
	}
	if q.Confirms() {
		return q.Choice(answer.No)
	}
	return max(slices.IndexFunc(q.Choices(), func(r answer.Choice) bool { return r.Default }), 0)
}

// visible returns the rows that the filter leaves, by their places among the choices; none says that
// it leaves no option: then Other remains, or else all. LeaveOpen, the last one, is none of
// the list: it has a key.
func (f *Form) visible(q *answer.Question) (at []int, none bool) {
	none = true
	var all []int
	for i, r := range q.Choices() {
		if r.Kind == answer.LeaveOpen {
			continue
		}
		all = append(all, i)
		fits := !r.Offered() || matches(r.Option, f.filter)
		if fits {
			at = append(at, i)
		}
		none = none && !(fits && r.Offered())
	}
	if len(at) == 0 {
		at = all
	}
	return at, none
}

// matches reports whether an option contains a text, in any case, in its label or description
// as they are shown.
func matches(o *question.Option, text string) bool {
	in := func(s string) bool { return strings.Contains(strings.ToLower(question.Line(s)), strings.ToLower(text)) }
	return text == "" || in(o.Label) || in(o.Description)
}

// take confirms the row with the cursor or, where several may be marked, the marked rows.
func (f *Form) take(q *answer.Question) tea.Cmd {
	empty := strings.TrimSpace(q.Typed()) == ""
	if q.Several() {
		empty = !q.Marks()
	}
	switch {
	case q.Untouched():
		f.report(answer.ErrUntouched)
		return nil
	case q.Skipped, q.Delegated:
	case q.Choices()[f.at].Kind == answer.Other && empty:
		f.write(q)
		return nil
	case !q.Several():
		f.report(q.Choose(f.at))
	}
	return f.next()
}

// goTo takes the cursor to a row, through the filter. Where one row is chosen, that one is.
func (f *Form) goTo(q *answer.Question, at int) {
	rows, _ := f.visible(q)
	if !slices.Contains(rows, at) {
		f.filter = ""
	}
	f.point(at)
	switch {
	case !q.Several():
		f.report(q.Choose(at))
	case q.Skipped, q.Delegated:
		f.report(q.Put(nil, ""))
	default:
		q.Touch()
	}
}

// point takes the cursor to a row, which is no act of the user's.
func (f *Form) point(at int) {
	if at != f.at {
		f.at, f.previewY = at, 0
	}
}

// pick marks the row with the cursor; where several may be marked it unmarks a marked one.
func (f *Form) pick(q *answer.Question) {
	at := f.at
	f.goTo(q, at)
	switch {
	case q.Several() && q.Choices()[at].Marked:
		f.report(q.Unchoose(at))
	case q.Choices()[at].Kind == answer.Other:
		f.write(q)
	default:
		f.report(q.Choose(at))
	}
}

// named returns what a key does that names a row: a digit, 0 for Other, or y and n and what
// an input method has for them; nil for no row.
func (f *Form) named(q *answer.Question, name string) func() tea.Cmd {
	name = strings.ToLower(width.Fold.String(name))
	id := ""
	if q.Confirms() {
		id = question.YesOrNo(name)
	}
	at := slices.IndexFunc(q.Choices(), func(r answer.Choice) bool {
		return name == r.Key() || id != "" && r.Offered() && id == r.Option.ID
	})
	switch {
	case at < 0:
		return nil
	case len(q.Options) > 9: // more than digits name: a digit only leads there
		return term.Action(func() { f.goTo(q, at) })
	}
	return term.Action(func() { f.point(at); f.pick(q) })
}

// numbers names the keys that choose a row.
func numbers(q *answer.Question) string {
	if q.Confirms() {
		return "y/n"
	}
	from, to := "1", strconv.Itoa(min(len(q.Options), 9))
	if q.AllowCustom {
		from = "0"
	}
	if from == to {
		return from
	}
	return from + "–" + to
}

// narrow follows a change of the filter. The one option that it leaves gets the cursor, and
// is chosen where one row is; else the cursor only moves when its row is hidden: words are
// typed to other programs too.
func (f *Form) narrow(q *answer.Question) {
	at, none := f.visible(q)
	found := slices.DeleteFunc(slices.Clone(at), func(i int) bool { return !q.Choices()[i].Offered() })
	switch {
	case f.filter != "" && !none && len(found) == 1 && !q.Several():
		f.goTo(q, found[0])
	case !slices.Contains(at, f.at):
		f.point(at[0])
	}
}

// write gives the keyboard to the words of Other.
func (f *Form) write(q *answer.Question) {
	f.goTo(q, q.Choice(answer.Other))
	f.focus(answering)
}

// takeOther ends the writing of Other with Enter.
func (f *Form) takeOther(q *answer.Question) tea.Cmd {
	empty := f.entry.Text() == ""
	f.focus(choosing)
	if empty {
		return nil
	}
	f.report(q.Choose(q.Choice(answer.Other)))
	if q.Several() {
		return nil
	}
	return f.next()
}

// readAll shows all of a question, or of the answers.
func (f *Form) readAll() {
	q := f.set.Current()
	if q != nil {
		f.reader = term.TextReader(everything(q))
		return
	}
	f.reader = term.NewReader("", func(_ *term.Styles, width int) []string {
		return f.drawBody(nil, width, 1<<16).Lines
	})
}

// everything is all of a question as text, for reading, safe to show.
func everything(q *answer.Question) string {
	var b strings.Builder
	add := func(before, text string) {
		if text != "" {
			b.WriteString(before + term.Safe(text)) // one by one: all previews may be long
		}
	}
	add("", q.Text)
	add("\n\n", q.Description)
	if !q.Chooses() {
		return b.String()
	}
	for _, r := range q.Choices() {
		if r.Kind == answer.LeaveOpen {
			continue
		}
		o := optionOf(q, r)
		add("\n\n", strings.TrimSpace(r.Key()+" "+question.Line(o.Label)))
		add("\n", o.Description)
		add("\n\n", strings.TrimRight(o.Preview, "\n"))
	}
	return b.String()
}
