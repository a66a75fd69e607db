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
	// Name is its name on the command line, as an asker, and as the surface of answers
	// that were given in its dialog.
	Name string
	// read parses an event. It is false for an event that is not mirrored.
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

// Names returns the names of all hosts.
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
	host      int // its process id; 0 if unknown

	prompt bool // the user has told the agent what to do next

	// Of a dialog that opens: its questions, and print returns the text that means the
	// reply of a record to the host; nil if the host could read another answer from it.
	set        *question.Set
	print      func(desk.Record) []byte
	permission bool // it asks whether the agent may use a tool
	unattended bool // the host shows no dialog: no user sits at it

	// Of dialogs that have ended: concerns selects their records (nil: all), and end
	// returns the outcome of one; false if the event does not have it.
	concerns func(desk.Record) bool
	end      func(desk.Record) (desk.Outcome, bool)
	single   bool // exactly one dialog ended: the best match
	last     bool // events with more information may arrive after it
}

// limits are those of mirrored questions. They are wide: hosts have limits of their
// own.
func limits() question.Limits {
	return question.Limits{Questions: 8, Options: 20, Question: 4000, Header: 100, Label: 500, Description: 4000,
		Lenient: true}
}

// dismissed is the outcome of a dialog that the user closed.
func dismissed(host, reason string) desk.Outcome {
	return desk.Outcome{Status: desk.Dismissed, Surface: host, Reply: &question.Reply{Dismissed: true, Reason: reason}}
}

// discussed is the outcome of a dialog whose user wants to talk about it first.
func discussed(host string) desk.Outcome {
	return desk.Outcome{Status: desk.Discuss, Surface: host, Reply: &question.Reply{Discuss: true}}
}

// gone is the outcome of a dialog that the user did not close. The reason is marked for
// translation.
func gone(host, reason string) desk.Outcome {
	return desk.Outcome{Status: desk.Cancelled, Surface: host, Reason: reason}
}

// answered is the outcome of a dialog in which the user replied. A reply that the host
// accepted but that does not fit the set is cut to what fits.
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

// hostQuestion is a question of a host. Each host has some of the members.
type hostQuestion struct {
	Question string `json:"question"`
	Header   string `json:"header"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
		Preview     string `json:"preview"`
	} `json:"options"`
	Kind        string `json:"kind"`
	MultiSelect bool   `json:"multiSelect"` // of Claude Code
	Multiple    bool   `json:"multiple"`    // of OpenCode
	Custom      *bool  `json:"custom"`      // true if missing
}

// setOf maps a host's questions to a set, one to one. It is false if one has an unknown
// member or kind, or half a character, which is another one in Go. An option's id is its label, by
// which the host knows it. In a dialog with several questions some may be left open.
func setOf(data json.RawMessage) (*question.Set, bool) {
	var asked []hostQuestion
	if !strictly(data, &asked) || bytes.Contains(marshal(asked), []byte("\ufffd")) {
		return nil, false
	}
	set := &question.Set{}
	for i, x := range asked {
		q := question.Question{ID: "q" + strconv.Itoa(i+1), Text: x.Question, Header: x.Header, Type: question.SingleChoice,
			Required: len(asked) == 1, AllowCustom: x.Custom == nil || *x.Custom}
		for _, o := range x.Options {
			q.Options = append(q.Options, question.Option{ID: o.Label, Label: o.Label, Description: o.Description,
				Preview: o.Preview})
		}
		switch {
		case x.Kind != "" && x.Kind != "choice":
			return nil, false
		case len(q.Options) == 0 && q.AllowCustom:
			q.Type, q.AllowCustom = question.Text, false
		case x.MultiSelect || x.Multiple:
			q.Type = question.MultiChoice
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
