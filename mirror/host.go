package mirror

import (
	"strconv"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// Host is a program that asks its user in a dialog of its own.
type Host struct {
	// Name is what the host is called on the command line, in records as the
	// asker, and as the surface of what was answered in its dialog.
	Name string
	// read makes out an event. It is false for whatever is not to be mirrored.
	read func(data []byte, getenv func(string) string) (event, bool)
}

// Hosts are the hosts that can be mirrored.
func Hosts() []Host { return []Host{{claudeName, readClaude}, {openCodeName, readOpenCode}} }

// ByName returns the host of this name.
func ByName(name string) (Host, bool) {
	for _, h := range Hosts() {
		if h.Name == name {
			return h, true
		}
	}
	return Host{}, false
}

// Names are the names of all hosts.
func Names() []string {
	var names []string
	for _, h := range Hosts() {
		names = append(names, h.Name)
	}
	return names
}

// event is what a host reports: a dialog that opens, or dialogs that have ended.
type event struct {
	session   string
	directory string
	host      int // its process; 0 where it does not tell

	// With a dialog that opens: set is what it asks, and print returns what the host
	// reads for a reply; nil where that may differ from what the human said.
	set        *question.Set
	print      func(desk.Record) []byte
	permission bool   // it asks whether a tool may be used
	unattended bool   // the host shows no dialog: no user sits at it
	sole       string // the id of an event that several processes get, and one of them mirrors

	// With dialogs that have ended: concerns selects their records, nil all, and end
	// returns how one ended; false where the event does not tell.
	concerns func(desk.Record) bool
	end      func(desk.Record) (desk.Outcome, bool)
	single   bool // exactly one dialog ended: the best match of those concerned
	last     bool // events that say more may arrive after it
}

// limits are those of a question that is mirrored. They are wide: a host knows
// its own.
func limits() question.Limits {
	return question.Limits{Questions: 8, Options: 20, Question: 4000, Header: 100, Label: 500, Description: 4000, Lenient: true}
}

// dismissed is the end of a dialog that its human closed.
func dismissed(host, reason string) desk.Outcome {
	return desk.Outcome{Status: desk.Dismissed, Surface: host, Reply: &question.Reply{Dismissed: true, Reason: reason}}
}

// discussed is the end of a dialog whose human wants to talk about it first.
func discussed(host string) desk.Outcome {
	return desk.Outcome{Status: desk.Discuss, Surface: host, Reply: &question.Reply{Discuss: true}}
}

// gone is the end of a dialog that its human did not close, for a reason in English, which
// people read in their own language.
func gone(host, reason string) desk.Outcome {
	return desk.Outcome{Status: desk.Cancelled, Surface: host, Reason: reason}
}

// answered is the end of a dialog in which its human gave a reply. What does
// not fit the set, which the host has let pass, is kept as far as it does.
func answered(host string, set *question.Set, r question.Reply) desk.Outcome {
	r.Note = question.Cut(r.Note, question.MaxText)
	for i := range r.Answers {
		r.Answers[i].Custom = question.Cut(r.Answers[i].Custom, question.MaxText)
	}
	checked, err := set.Check(r)
	if err != nil {
		return dismissed(host, words.ByOmission)
	}
	return desk.Outcome{Status: desk.Answered, Surface: host, Reply: &checked}
}

// setOf makes a set of the questions that a host asks; take fills one in, and is
// false where it is not to be mirrored. In a dialog with several questions some
// may be left open.
func setOf[T any](asked []T, take func(T, *question.Question) bool) (*question.Set, bool) {
	set := &question.Set{}
	for i, x := range asked {
		q := question.Question{ID: "q" + strconv.Itoa(i+1), Type: question.SingleChoice, Required: len(asked) == 1, AllowCustom: true}
		if !take(x, &q) {
			return nil, false
		}
		set.Questions = append(set.Questions, q)
	}
	return set, len(set.Validate(limits())) == 0
}

// option makes an option of a label and the texts beside it. The label is its
// id too: it is what the host goes by.
func option(label, description, preview string) question.Option {
	return question.Option{ID: label, Label: label, Description: description, Preview: preview}
}
