package desk

import (
	"context"
	"fmt"
)

// An asker delivers an answer only to the question that it asked: an outcome names the
// statement that it answers, and the asker compares the record with its own copy.

// Statement is a digest of what a record asks, and for whom: all that gives an answer
// its meaning. It lists each member, so that programs of different versions agree on it.
func (rec *Record) Statement() string {
	by := rec.Asker
	what := []any{rec.ID, by.Client, by.Directory, by.Via, by.Agent, rec.OnTimeout, rec.Set.Statement()}
	if rec.Prove { // older programs do not know it
		what = append(what, "prove")
	}
	return digest(what)[:32]
}

// keepStatement keeps the asker's own copy of what it asked, for this process and for
// later ones on this machine.
func (d *Desk) keepStatement(ctx context.Context, rec *Record) {
	d.statements.Store(rec.ID, rec.Statement())
	if d.keeper != nil {
		d.keeper.KeepStatement(ctx, rec.ID, rec.Statement())
	}
}

// dropStatement removes what keepStatement kept of a record that is archived.
func (d *Desk) dropStatement(ctx context.Context, id string) {
	d.statements.Delete(id)
	if d.keeper != nil {
		d.keeper.KeepStatement(ctx, id, "")
	}
}

// checkStatement returns why a record is not what was asked under its id from here; nil
// where it is, or where nothing was.
func (d *Desk) checkStatement(rec *Record) error {
	kept, _ := d.statements.Load(rec.ID)
	asked, _ := kept.(string)
	if asked == "" && d.keeper != nil {
		asked = d.keeper.Statement(rec.ID)
	}
	if asked != "" && asked != rec.Statement() {
		return fmt.Errorf("it was asked as %.12s, and reads as %.12s", asked, rec.Statement())
	}
	return nil
}

// asks returns why a record is not what a request asks; nil where it is.
func (r *Request) asks(rec *Record) error {
	asked := r.record()
	if asked.ID = rec.ID; asked.Statement() != rec.Statement() {
		return fmt.Errorf("it is marked as the same question, and reads as another: %s", rec.ID)
	}
	return nil
}
