package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mcp-askuser/desk/store"
	"mcp-askuser/question"
)

// row returns the row of a record to be asked.
func (rec *Record) row(content string) (store.Row, error) {
	asked := *rec
	asked.Outcome, asked.State = nil, Pending
	data, err := json.Marshal(asked)
	row := store.Row{
		ID: rec.ID, Session: rec.SessionID, Run: rec.run(), Project: rec.Asker.project(), Earlier: rec.Earlier,
		Content: content, Text: rec.text(), At: rec.CreatedAt, Keep: seconds(rec.Keep), Asked: data,
	}
	if err == nil && rec.Outcome != nil {
		row.Outcome, err = json.Marshal(rec.Outcome)
	}
	if err != nil {
		err = fmt.Errorf("encode the question: %w", err)
	}
	return row, err
}

// text is what a search looks through: the words of the questions and of the outcome, the
// client, the directory, the session.
func (rec *Record) text() string {
	texts := []string{rec.Asker.Client, rec.Asker.Directory, rec.SessionID}
	reply := rec.Reply()
	if rec.Outcome != nil {
		texts = append(texts, rec.Outcome.Reason)
	}
	if reply != nil {
		texts = append(texts, reply.Note, reply.Reason)
	}
	for _, q := range rec.All() {
		texts = append(texts, q.Text, q.Header, q.Description)
		for _, o := range q.Options {
			texts = append(texts, o.Label)
		}
		if reply == nil {
			continue
		}
		answer := reply.Answer(q.ID)
		if answer != nil {
			texts = append(texts, q.Words(answer)...)
			texts = append(texts, answer.Note)
		}
	}
	for i, text := range texts {
		texts[i] = plainText(text)
	}
	return strings.Join(texts, "\n")
}

// plainText is a text without what makes no difference to its reader.
func plainText(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(question.Block(s)), " "))
}

// decode returns the record of a row. The error wraps ErrDamaged for a row that this program
// did not write, or says that the trusted keys cannot be read.
func (d *Desk) decode(ctx context.Context, row store.Row, policy Policy) (Record, error) {
	rec, err := decodeRow(row)
	if err != nil {
		return Record{}, fmt.Errorf("%w: question %s: %w", ErrDamaged, row.ID, err)
	}
	if rec.Outcome == nil {
		return rec, nil
	}
	err = d.validate(ctx, &rec, &row, policy)
	return rec, err
}

func decodeRow(row store.Row) (rec Record, err error) {
	err = json.Unmarshal(row.Asked, &rec)
	if err == nil && (rec.ID != row.ID || rec.Outcome != nil) {
		err = fmt.Errorf("it was stored as %q, with an outcome: %t", rec.ID, rec.Outcome != nil)
	}
	for _, q := range rec.All() { // one that may be answered otherwise, or by the user alone
		if err == nil && !q.Chooses() && q.Type != question.Text {
			err = fmt.Errorf("unknown type of question %q, %s", q.Type, mayBeNewer)
		}
	}
	if err != nil {
		return rec, err
	}
	rec.State, rec.Later, rec.Home, rec.Asker.Credential = Pending, nil, row.Home, row.Owner
	rec.LastRound = rec.LastRound && row.Notes[store.Lifted] == nil
	if row.Outcome == nil {
		rec.Attended = row.Attended
		typed := decodeDraft(row)
		rec.Worked, rec.Drafted = typed.At, !typed.empty()
		rec.ShownOn = nil
		_ = json.Unmarshal(row.Notes[store.Shown], &rec.ShownOn) // a hint: damaged, it is none
		return rec, nil
	}
	rec.Outcome = &Outcome{}
	err = json.Unmarshal(row.Outcome, rec.Outcome)
	if err == nil {
		err = rec.Outcome.check()
	}
	if err == nil && rec.Outcome.Provisional && row.Notes[store.Later] != nil {
		var host Outcome
		err = json.Unmarshal(row.Notes[store.Later], &host)
		if err == nil {
			err = host.check()
		}
		rec.settle(&host)
	}
	rec.State = rec.Outcome.Status
	return rec, err
}

// mayBeNewer is said of what another version may have stored.
const mayBeNewer = "which a newer version of mcp-askuser may know: update it"

// check returns why o cannot be an outcome: one of the user carries a reply, any
// other none.
func (o *Outcome) check() error {
	switch o.Status {
	case Answered, Dismissed, Discuss:
		if o.Reply == nil {
			return fmt.Errorf("outcome %q without a reply", o.Status)
		}
		if StatusOf(*o.Reply) != o.Status {
			return fmt.Errorf("outcome %q with a reply that says otherwise", o.Status)
		}
	case Cancelled, Timeout, Unavailable, Failed:
		if o.Reply != nil {
			return fmt.Errorf("outcome %q with a reply", o.Status)
		}
	default:
		return fmt.Errorf("unknown outcome %q, %s", o.Status, mayBeNewer)
	}
	return nil
}

// validate checks an outcome from the store like one from a surface. A record whose outcome
// does not answer the set, or has an answerer that may not give it, has failed. The error
// says that the trusted keys cannot be read: the answer stays where it is.
func (d *Desk) validate(ctx context.Context, rec *Record, row *store.Row, policy Policy) error {
	o := rec.Outcome
	if o.Reply == nil {
		return nil
	}
	asked, known := d.asked.Load(rec.ID)
	err := d.admit(ctx, rec, o, row, rec.needsProof(policy))
	if known && asked != rec.Statement() { // another process of the same user, or credential, has replaced it
		err = errors.New("the question in the store is not the one that was asked")
	}
	if err == nil {
		return nil
	}
	if errors.Is(err, errKeys) || errors.Is(err, ErrUnreachable) {
		return fmt.Errorf("%s: %w", rec.ID, err)
	}
	d.log.ErrorContext(ctx, "the answer in the store does not count", "id", rec.ID, "answerer", o.Answerer, "error", err)
	reason := "the answer in the store does not count: " + err.Error()
	rec.State, rec.Outcome = Failed, &Outcome{ID: o.ID, Status: Failed, Reason: reason, Surface: o.Surface, At: o.At}
	return nil
}

// Statement is a digest of what a record asks, and for whom: all that gives an answer
// its meaning.
func (rec *Record) Statement() string {
	by := rec.Asker
	return digest([]any{rec.ID, by.Client, by.Directory, by.Via, by.Agent, rec.OnTimeout, rec.Prove, rec.Questions})
}
