package mirror

import (
	"bytes"
	"encoding/json"
	"strconv"

	"mcp-askuser/desk"
	"mcp-askuser/internal/plainjson"
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

// hostQuestion is what the questions of all hosts have. Each host has a type that
// embeds it.
type hostQuestion struct {
	Question string `json:"question"`
	Header   string `json:"header"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
		Preview     string `json:"preview"`
	} `json:"options"`
}

func (q hostQuestion) common() hostQuestion { return q }

// setOf maps a host's questions to a set, one to one; take adds what only this host has,
// and is false for a question that is not to be mirrored, as setOf is for an unknown
// member. An option's id is its label, by which the host knows it. In a dialog with
// several questions some may be left open.
func setOf[T interface{ common() hostQuestion }](data json.RawMessage, take func(T, *question.Question) bool) (*question.Set, bool) {
	var asked []T
	if !strictly(data, &asked) {
		return nil, false
	}
	set := &question.Set{}
	for i, x := range asked {
		c := x.common()
		q := question.Question{ID: "q" + strconv.Itoa(i+1), Text: c.Question, Header: c.Header, Type: question.SingleChoice, Required: len(asked) == 1, AllowCustom: true}
		for _, o := range c.Options {
			q.Options = append(q.Options, question.Option{ID: o.Label, Label: o.Label, Description: o.Description, Preview: o.Preview})
		}
		if !take(x, &q) {
			return nil, false
		}
		set.Questions = append(set.Questions, q)
	}
	return set, len(set.Validate(limits())) == 0
}

// strictly decodes JSON without members that v does not have.
func strictly(data []byte, v any) bool {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	return dec.Decode(v) == nil && !dec.More()
}

// marshal writes JSON as JavaScript does, on a line; nil if that fails.
func marshal(v any) []byte {
	data, err := plainjson.Marshal(v)
	if err != nil {
		return nil
	}
	return append(data, '\n')
}
