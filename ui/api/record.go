package api

import "mcp-askuser/desk"

// NewStored returns a record as the store has it, and of its proofs what was verified.
func NewStored(rec desk.Record) desk.Record {
	for _, o := range []**desk.Outcome{&rec.Outcome, &rec.Later} {
		if *o != nil {
			public := **o
			public.Proof = public.Proof.Public()
			*o = &public
		}
	}
	return rec
}

// Record is a record as programs read it: with the answers in words, and
// without the store's own business.
type Record struct {
	desk.Record
	Content *struct{} `json:"content,omitempty"` // hides that of desk.Record
	// Answers are keyed by question text. There are some once the record
	// was answered; of one to be discussed first they are those so far.
	Answers map[string]string `json:"answers,omitempty"`
	// Dropped is, for the asker, what of the call cannot be asked.
	Dropped []string `json:"dropped,omitempty"`
}

// NewRecord returns a record as programs read it.
func NewRecord(rec desk.Record) Record {
	out := Record{Record: NewStored(rec)}
	if rec.State != desk.Answered && rec.State != desk.Discuss {
		return out
	}
	out.Answers = map[string]string{}
	for _, x := range rec.Asked() {
		if x.Answer != nil {
			out.Answers[x.Question.Text] = x.Text()
		}
	}
	return out
}

// NewRecords returns a list of records, never nil.
func NewRecords(records []desk.Record) []Record {
	out := make([]Record, len(records))
	for i, rec := range records {
		out[i] = NewRecord(rec)
	}
	return out
}
