package inbox

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/local"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/termtest"
	"mcp-askuser/question"
	"mcp-askuser/question/questiontest"
	"mcp-askuser/ui/gate"
	"mcp-askuser/ui/term"
)

// rig is an inbox over a real store, on a terminal of a fixed size, with a
// clock of the test's own. Commands run beside the test as they do in a
// program; the test takes their messages one by one until what it waits for
// is there.
type rig struct {
	*termtest.Clock
	t     testing.TB
	m     *model
	desk  *desk.Desk // of another process, as it were
	store *local.Store
	apart *desktest.Faulty // the same as this process sees it
	w, h  int
	quit  bool
	rung  []string                    // what was written to the terminal beside the screen
	waits map[string]*desk.Attendance // by record

	msgs    chan tea.Msg
	running sync.WaitGroup
}

// noon is when every test begins.
func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// newRig makes an inbox that is not open yet.
func newRig(t testing.TB, w, h int) *rig {
	t.Helper()
	store := desktest.Store(t, t.TempDir())
	r := &rig{
		Clock: termtest.NewClock(noon()), t: t, store: store, apart: &desktest.Faulty{Store: store}, w: w, h: h,
		msgs: make(chan tea.Msg), waits: map[string]*desk.Attendance{},
	}
	r.desk = desk.New(store, desk.Options{Now: r.Now, Rand: rand.NewChaCha8([32]byte{1})})
	ctx, stop := context.WithCancel(context.Background())
	r.m = newModel(ctx, Options{
		Desk: desk.New(r.apart, desk.Options{Now: r.Now, Rand: rand.NewChaCha8([32]byte{2})}),
	})
	r.m.Window = term.NewWindow(r.Now)
	r.m.Gate = gate.NewGate(r.Now, r.After)
	t.Cleanup(func() {
		stop()
		go func() { r.running.Wait(); close(r.msgs) }()
		for range r.msgs { // the test is over
		}
		if r.m.events != nil {
			for range r.m.events { // until the watch has ended
			}
		}
	})
	return r
}

// open shows the inbox and waits until the desk has been read.
func (r *rig) open() *rig {
	r.t.Helper()
	r.run(r.m.Init())
	r.send(tea.WindowSizeMsg{Width: r.w, Height: r.h})
	r.until("the desk", func() bool { return r.m.waiting.loaded })
	return r
}

// later moves the clock on, and the gate's timers fire.
func (r *rig) later(d time.Duration) *rig {
	r.t.Helper()
	r.Pass(d, r.send)
	return r
}

// send delivers a message.
func (r *rig) send(msg tea.Msg) {
	r.t.Helper()
	_, cmd := r.m.Update(msg)
	r.run(cmd)
}

func (r *rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	r.running.Go(func() { r.msgs <- cmd() })
}

// until takes messages until ok.
func (r *rig) until(what string, ok func() bool) {
	r.t.Helper()
	deadline := time.NewTimer(termtest.Deadline)
	defer deadline.Stop()
	for !ok() {
		select {
		case msg := <-r.msgs:
			r.take(msg)
		case <-deadline.C:
			r.t.Fatalf("waited in vain for %s; the screen:\n%s", what, r.screen())
		}
	}
}

func (r *rig) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case tea.QuitMsg:
		r.quit = true
	case tea.RawMsg:
		r.rung = append(r.rung, fmt.Sprint(msg.Msg))
	case tea.BatchMsg:
		for _, cmd := range msg {
			r.run(cmd)
		}
	default:
		if cmds, ok := sequence(msg); ok {
			r.running.Go(func() {
				for _, cmd := range cmds {
					r.msgs <- cmd()
				}
			})
			return
		}
		r.send(msg)
	}
}

// sequence returns the commands of a tea.Sequence, whose type has no name
// outside.
func sequence(msg tea.Msg) ([]tea.Cmd, bool) {
	v, want := reflect.ValueOf(msg), reflect.TypeFor[[]tea.Cmd]()
	if v.Kind() != reflect.Slice || !v.CanConvert(want) {
		return nil, false
	}
	return v.Convert(want).Interface().([]tea.Cmd), true
}

// see waits until the screen shows every one of these texts.
func (r *rig) see(texts ...string) *rig {
	r.t.Helper()
	for _, text := range texts {
		r.until("the screen to show "+text, func() bool { return strings.Contains(r.screen(), text) })
	}
	return r
}

// lacks checks that the screen does not show this text.
func (r *rig) lacks(text string) *rig {
	r.t.Helper()
	if s := r.screen(); strings.Contains(s, text) {
		r.t.Errorf("the screen shows %s:\n%s", text, s)
	}
	return r
}

// keys presses keys by name, at an easy pace; what is no name is typed.
func (r *rig) keys(names ...string) *rig {
	r.t.Helper()
	for _, k := range termtest.Keys(names...) {
		r.send(k)
		r.later(200 * time.Millisecond)
	}
	return r
}

// answers opens the form of the selected record.
func (r *rig) answers() *rig {
	r.t.Helper()
	return r.opens("enter")
}

// opens opens that form with a key.
func (r *rig) opens(key string) *rig {
	r.t.Helper()
	r.keys(key)
	r.until("the form", func() bool { return r.m.answer != nil })
	return r
}

// screen is what a terminal of that size shows: text, and where its cursor is.
func (r *rig) screen() string { return termtest.Shown(r.m.View(), r.w, r.h) }

func checkScreen(t testing.TB, r *rig) {
	t.Helper()
	termtest.CheckView(t, r.m.View(), r.w, r.h)
}

// ask puts a question on the desk, as an agent would that waits for the
// answer.
func (r *rig) ask(by desk.Asker, session string, qs ...question.Question) desk.Record {
	r.t.Helper()
	rec, attendance, err := r.desk.Submit(r.t.Context(), desk.Request{Set: question.Set{Questions: qs}, Session: session, Asker: by})
	fatal.If(r.t, err)
	r.t.Cleanup(attendance.Release)
	r.waits[rec.ID] = attendance
	return rec
}

// claude asks, in a directory that is no work tree.
func (r *rig) claude(qs ...question.Question) desk.Record {
	r.t.Helper()
	return r.ask(desk.Asker{Client: "claude-code", Version: "2.1.329", Directory: "/home/ada/shop", Via: "mcp"}, "7f3c9a52-session", qs...)
}

// reply answers a record elsewhere.
func (r *rig) reply(rec desk.Record, surface string, answers ...question.Answer) {
	r.t.Helper()
	if _, err := r.desk.Reply(r.t.Context(), rec.ID, question.Reply{Answers: answers}, desk.Evidence{Surface: surface, How: desk.HowPage}); err != nil {
		r.t.Fatal(err)
	}
}

// get is the record as the desk has it now.
func (r *rig) get(rec desk.Record) desk.Record {
	r.t.Helper()
	got, err := r.desk.Get(r.t.Context(), rec.ID)
	fatal.If(r.t, err)
	return got
}

// draft is what is kept of what was typed for a record.
func (r *rig) draft(rec desk.Record) question.Reply {
	r.t.Helper()
	draft, _, err := r.desk.Draft(r.t.Context(), rec.ID)
	if err != nil || len(draft.Answers) != 1 {
		r.t.Fatalf("the draft is %+v, %v", draft, err)
	}
	return draft
}

// The samples of all rooms.
var (
	database = questiontest.Database
	name     = questiontest.Name
	deploy   = questiontest.Deploy
	chinese  = questiontest.Chinese
	long     = questiontest.Long
)

func taken(q question.Question, ids ...string) question.Answer {
	return question.Answer{QuestionID: q.ID, Selected: ids, By: question.ByUser}
}

func answerText(id, text string) question.Answer {
	return question.Answer{QuestionID: id, Custom: text, By: question.ByUser}
}
