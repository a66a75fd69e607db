package form

import (
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/internal/golden"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/term"
)

// rig is a form on a terminal of a fixed size, with a clock, timers and a commit
// of the test's own.
type rig struct {
	*termtest.Clock
	t      testing.TB
	f      *Form
	w, h   int
	fail   error            // what commit returns
	sent   []question.Reply // what commit was given, but for
	took   time.Duration    // how long the last took
	quit   bool
	checks bool // commit refuses what the set refuses
}

// open shows a set at this size, as if the user had opened it.
func open(t testing.TB, w, h int, qs ...question.Question) *rig {
	t.Helper()
	return fresh(t, w, h, record(qs...)).show()
}

// show gives the form its size.
func (r *rig) show() *rig {
	r.t.Helper()
	r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
	return r
}

// fresh is a form that is not on the screen yet. The user opens it, unless an
// option says otherwise.
func fresh(t testing.TB, w, h int, rec desk.Record, opts ...option) *rig {
	r := &rig{t: t, Clock: termtest.NewClock(time.Unix(0, 0).UTC()), w: w, h: h}
	window := term.NewWindow(r.Now)
	window.Gate = gate.NewGate(r.Now, r.After)
	r.f = New(rec, func(reply question.Reply) error {
		r.took, reply.Took = reply.Took, 0
		r.sent = append(r.sent, reply)
		if r.checks {
			if _, err := rec.Check(reply); err != nil {
				return err
			}
		}
		return r.fail
	}, with(Options{Window: &window}, opts))
	return r
}

// option is what a test has otherwise than most.
type option = func(*Options)

func withOrigin(origin gate.Origin) option  { return func(o *Options) { o.Origin = origin } }
func withDraft(draft question.Reply) option { return func(o *Options) { o.Draft = draft } }
func withKeep(save func(question.Reply)) option {
	return func(o *Options) { o.Save = func(r question.Reply) error { save(r); return nil } }
}
func withMemory(memory map[string]desk.Memory) option { return func(o *Options) { o.Memory = memory } }
func withRounds(rounds func() []desk.Record) option   { return func(o *Options) { o.Rounds = rounds } }
func withLift(lift func() error) option               { return func(o *Options) { o.Lift = lift } }

// with are the options of a form that the user has opened, unless opts say
// otherwise.
func with(o Options, opts []option) Options {
	o.Origin = gate.Opened
	for _, set := range opts {
		set(&o)
	}
	return o
}

// wait lets time pass, and timers fire.
func (r *rig) wait(d time.Duration) *rig {
	r.Pass(d, r.send)
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

// keys presses keys by name, at an easy pace; what is no name is typed.
func (r *rig) keys(names ...string) *rig {
	r.t.Helper()
	for _, k := range termtest.Keys(names...) {
		r.send(k)
		r.wait(200 * time.Millisecond)
	}
	return r
}

// screen is what a terminal of that size shows: text, and where its cursor is.
func (r *rig) screen() string { return termtest.Shown(r.f.View(), r.w, r.h) }

func checkScreen(t testing.TB, r *rig) {
	t.Helper()
	if v := r.f.View(); v.Content != "" {
		termtest.CheckView(t, v, r.w, r.h)
	}
}

// check compares got with the file of this name.
func check(t *testing.T, name, got string) {
	t.Helper()
	golden.Check(t, name+".txt", got)
}

// last is the one reply that was sent.
func (r *rig) last() question.Reply {
	r.t.Helper()
	if len(r.sent) != 1 {
		r.t.Fatalf("committed %d replies, want 1: %+v", len(r.sent), r.sent)
	}
	return r.sent[0]
}

func same(a, b question.Answer) bool {
	return a.Custom == b.Custom && a.Note == b.Note && slices.Equal(a.Selected, b.Selected)
}

func sameDraft(a, b question.Reply) bool {
	return a.Note == b.Note && a.Reason == b.Reason && slices.EqualFunc(a.Answers, b.Answers, func(a, b question.Answer) bool {
		return a.QuestionID == b.QuestionID && same(a, b)
	})
}
