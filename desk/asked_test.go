package desk_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/store"
	"mcp-askuser/internal/fatal"
)

// What gives an answer its meaning beside the questions is in the statement of a record, and
// what has none is not.
func TestStatement(t *testing.T) {
	fresh := func() desk.Record {
		return desk.Record{ID: "01M6GA60M060R30C1G60R30C1H", Asker: asker, Set: set()}
	}
	was := fresh()
	for name, tc := range map[string]struct {
		change func(*desk.Record)
		same   bool
	}{
		"another record":   {change: func(r *desk.Record) { r.ID = "01M6GA60M060R30C1G60R30C1J" }},
		"order of options": {change: func(r *desk.Record) { slices.Reverse(r.Questions[0].Options) }},
		"an example":       {change: func(r *desk.Record) { r.Questions[0].Placeholder = "x" }},
		"who asks":         {change: func(r *desk.Record) { r.Asker.Client += "x" }},
		"a permission":     {change: func(r *desk.Record) { r.Asker.Via = desk.ViaPermission }},
		"the defaults":     {change: func(r *desk.Record) { r.OnTimeout = desk.OnTimeoutDefault }},
		"its round":        {change: func(r *desk.Record) { r.Round = 7 }, same: true},
		"its process":      {change: func(r *desk.Record) { r.Asker.PID = 7 }, same: true},
		"that it ended":    {change: func(r *desk.Record) { r.State, r.Outcome = desk.Cancelled, &desk.Outcome{Status: desk.Cancelled} }, same: true},
	} {
		rec := fresh()
		tc.change(&rec)
		if same := rec.Statement() == was.Statement(); same != tc.same {
			t.Errorf("%s: the same statement: %v", name, same)
		}
	}
}

// One who waits compares what was asked with what there is: an answer to another text is not
// delivered, and one who asks the same again asks anew.
func TestSwappedQuestion(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	rec := detached(t, d, request("Run tests?"))
	desktest.Rewrite(t, dir, rec.ID, "Run tests?", "Delete prod?")
	reply(t, open(t, dir), rec.ID, "yes")
	if got := must(d.Wait(deadline(t), rec.ID)); got.State != desk.Failed || got.Reply() != nil {
		t.Errorf("it is %s %+v", got.State, got.Outcome)
	}
	again := detached(t, open(t, dir), request("Run tests?"))
	if again.ID == rec.ID || again.Outcome != nil {
		t.Errorf("asked again: %s %s", again.ID, again.State)
	}
}

// Invariant: what the store says was answered fits the question, or it was not
// answered: not for one who waits, looks, asks again or searches the past.
func TestForgedAnswer(t *testing.T) {
	ctx, dir := deadline(t), storeDir(t)
	var log bytes.Buffer
	d := desk.New(openStore(t, dir), desk.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	rec := detached(t, d, request("Which?"))
	const doc = `{"status":"answered","reply":{"answers":[{"question_id":"q1","selected":["mine"]}]}}`
	fatal.If(t, openStore(t, dir).Answer(ctx, rec.ID, store.Ending{Outcome: []byte(doc)}))
	reads := map[string]desk.Record{"waiting": must(d.Wait(ctx, rec.ID)), "looking": must(d.Get(ctx, rec.ID))}
	for past, err := range d.History(ctx, desk.Query{}) {
		fatal.If(t, err)
		reads["the past"] = past
	}
	for name, got := range reads {
		if got.ID != rec.ID || got.State != desk.Failed || got.Reply() != nil {
			t.Errorf("%s: %s is %s %+v", name, got.ID, got.State, got.Outcome)
		}
	}
	if len(reads) != 3 || !strings.Contains(log.String(), rec.ID) || !strings.Contains(log.String(), "Validation failed") {
		t.Errorf("%d reads, and the log says %q", len(reads), log.String())
	}
	again := detached(t, d, request("Which?"))
	if again.ID == rec.ID || again.State != desk.Pending {
		t.Errorf("asked again: %s %s", again.ID, again.State)
	}
}

// An asker does not undo the user's reply by a word of its host, which had no dialog.
func TestForgedWordOfTheHost(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	rec := ask(t, d)
	reply(t, d, rec.ID, "no")
	const doc = `{"id":"x","status":"cancelled","reason":"never asked","at":"2026-11-03T09:00:00Z"}`
	later := func([]byte) ([]byte, error) { return []byte(doc), nil }
	fatal.If(t, openStore(t, dir).Note(t.Context(), rec.ID, store.Later, later))
	got := must(d.Get(t.Context(), rec.ID))
	if got.State != desk.Answered || got.Later != nil {
		t.Errorf("it reads as %s", got.State)
	}
}

// owned is a store that knows which credential asked.
type owned struct{ store.Store }

func (s owned) Get(ctx context.Context, id string) (store.Row, error) {
	row, err := s.Store.Get(ctx, id)
	row.Owner = "bot"
	return row, err
}

// The credential of an asker is what the store knows, whatever the asker has stored.
func TestCredentialIsNoClaim(t *testing.T) {
	dir := storeDir(t)
	d := open(t, dir)
	rec := ask(t, d)
	desktest.Rewrite(t, dir, rec.ID, `"asker":{`, `"asker":{"credential":"ci",`)
	for want, d := range map[string]*desk.Desk{"": open(t, dir), "bot": desk.New(owned{openStore(t, dir)}, desk.Options{})} {
		got, err := d.Get(t.Context(), rec.ID)
		if err != nil || got.Asker.Credential != want {
			t.Errorf("asked by %q, %v, want %q", got.Asker.Credential, err, want)
		}
	}
}

// What the user had typed is there again where the same is asked once more after the client has withdrawn
// it, or its time was up; not where the user has answered since.
func TestDraftComesBack(t *testing.T) {
	for name, end := range map[string]func(*desk.Desk, string) error{
		"withdrawn": closes(desk.Cancelled), "timed out": closes(desk.Timeout), "answered": answers(says("whole")),
	} {
		for _, delivered := range []bool{false, true} {
			d := open(t, storeDir(t))
			endedAs(t, d, func(id string) error {
				return errors.Join(d.SaveDraft(t.Context(), id, says("half")), end(d, id))
			}, delivered)
			again, _ := submit(t, d, request("Which?"))
			draft, _, err := d.Draft(t.Context(), again.ID)
			comes, same := name != "answered", err == nil && reflect.DeepEqual(draft, says("half"))
			none := err != nil || again.Outcome != nil // it has the answer
			if comes && !same || !comes && !none {
				t.Errorf("%s, delivered %v: asked again with %+v, %v", name, delivered, draft, err)
			}
		}
	}
}
