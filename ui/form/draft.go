package form

import (
	"errors"
	"reflect"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/term"
)

// Draft is what the user has typed for a record, on its way to the desk: until the
// desk has it, it is here. Its methods may be called from any goroutine.
type Draft struct {
	save   func(question.Reply) error
	saving sync.Mutex // held while save runs

	mu            sync.Mutex      // guards what follows
	latest, tried *question.Reply // what was put in, and what was given to save
	err           error           // why that was not saved
}

// NewDraft returns an empty draft. Save keeps it, and is never called twice at a
// time.
func NewDraft(save func(question.Reply) error) *Draft { return &Draft{save: save} }

// Put replaces the draft, to be saved by Save.
func (d *Draft) Put(r question.Reply) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.latest = &r
}

// Save saves the draft, unless that was tried since Put. It may take its time.
func (d *Draft) Save() {
	d.saving.Lock()
	defer d.saving.Unlock()
	d.mu.Lock()
	latest := d.latest
	done := latest == d.tried
	d.mu.Unlock()
	if done {
		return
	}
	err := d.save(*latest)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tried, d.err = latest, err
}

// Unsaved returns the draft where it is not saved, and why that failed, if it did.
func (d *Draft) Unsaved() (r *question.Reply, failed error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.latest == d.tried && d.err == nil {
		return nil, nil
	}
	return d.latest, d.err
}

// A draft is handed over at most every savePause while it changes. While the
// clock of a deadline runs, keys that change nothing count as a sign of life
// too, at most every alivePause.
const (
	savePause  = 500 * time.Millisecond
	alivePause = 2 * time.Second
)

// lastSaveTime is how long a form that ends waits for its last draft to be saved.
const lastSaveTime = time.Second

// drafts is what was typed, on its way to where it is kept.
type drafts struct {
	last    question.Reply // what was handed over last
	at      time.Time      // when that was
	waiting bool           // a timer runs for the next
}

// changed follows every key: it hands the draft over, or sees to it that this
// happens soon. Alive says that it was a key that counted.
func (f *Form) changed(alive bool) tea.Cmd {
	d := &f.drafts
	if f.options.Keep == nil || d.waiting || f.sending || f.state != Open {
		return nil
	}
	draft, now := f.set.Draft(), f.window.Now()
	since := now.Sub(d.at)
	switch edited := !reflect.DeepEqual(draft, d.last); {
	case edited && since < savePause:
		d.waiting = true
		due := func() tea.Cmd { d.waiting = false; return f.changed(false) }
		return tea.Tick(savePause-since, func(time.Time) tea.Msg { return term.Then(due) })
	case edited, alive && !f.deadline.IsZero() && since >= alivePause:
		return f.handOver(draft, now)
	}
	return nil
}

func (f *Form) handOver(r question.Reply, now time.Time) tea.Cmd {
	f.drafts.last, f.drafts.at = r, now
	f.options.Keep.Put(r)
	return func() tea.Msg { f.options.Keep.Save(); return nil }
}

// lastDraft hands over what is not kept yet when the form ends while the
// record may stay open. Nil means that there is nothing.
func (f *Form) lastDraft() tea.Cmd {
	if f.options.Keep == nil || f.state == Sent || errors.As(f.cause, new(*desk.ClosedError)) {
		return nil
	}
	draft := f.set.Draft()
	// One that was handed over need not have been saved yet: its command may be
	// running still, or never come to run.
	if unsaved, _ := f.options.Keep.Unsaved(); unsaved == nil && reflect.DeepEqual(draft, f.drafts.last) {
		return nil
	}
	return f.handOver(draft, f.window.Now())
}
