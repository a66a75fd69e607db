package mirror

import (
	"encoding/json"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

const codexName = "codex"

// Codex is the host for one event of Codex's daemon, to which package codex is
// connected.
func Codex(e CodexEvent) Host {
	return Host{Name: codexName, read: func([]byte, func(string) string) (event, bool) { return e.event() }}
}

// CodexEvent is a question of Codex's, or its end.
type CodexEvent struct {
	Thread    string
	Request   string // its id
	Directory string
	PID       int             // the daemon's
	Questions json.RawMessage // nil at its end
	Sent      bool            // at its end: our reply had been sent
}

type codexQuestion struct {
	hostQuestion
	ID     string `json:"id"`
	Other  bool   `json:"isOther"`
	Secret bool   `json:"isSecret"`
}

func (in CodexEvent) event() (event, bool) {
	out := event{session: in.Thread, directory: in.Directory, host: in.PID, sole: in.Request}
	if in.Questions == nil {
		out.concerns = func(rec desk.Record) bool { return rec.Metadata[requestKey] == in.Request }
		out.end = func(rec desk.Record) (desk.Outcome, bool) {
			if in.Sent && rec.Outcome != nil {
				return *rec.Outcome, true
			}
			return gone(codexName, words.Mark("answered or closed there")), true // Codex does not report the answer
		}
		return out, true
	}
	var ok bool
	out.set, ok = codexSet(in.Questions)
	if ok {
		out.set.Metadata = map[string]any{requestKey: in.Request}
		out.print = printCodex
	}
	return out, ok
}

// codexSet is false for a secret, too.
func codexSet(data json.RawMessage) (*question.Set, bool) {
	return setOf(data, func(x codexQuestion, q *question.Question) bool {
		q.ID, q.AllowCustom = x.ID, x.Other
		if len(q.Options) == 0 {
			q.Type, q.AllowCustom = question.Text, false
		}
		return !x.Secret
	})
}

// Answers of Codex's own dialog for a text of the user's.
const (
	codexOther = "None of the above"
	codexNote  = "user_note: "
)

// printCodex writes a reply as Codex reads it: the labels and texts for each question,
// as its dialog marks them. The protocol has no dismissal, which goes as a text, and no
// answerer: the reply of a program is not printed.
func printCodex(rec desk.Record) []byte {
	r := rec.Reply()
	if r == nil || rec.Outcome.FromProgram() {
		return nil
	}
	type answer struct {
		Answers []string `json:"answers"`
	}
	answers, last := map[string]answer{}, rec.Questions[0].ID
	for _, x := range rec.Asked() {
		var words []string
		if x.Answer != nil {
			last = x.ID
			for _, id := range x.Answer.Selected {
				words = append(words, x.Option(id).Label)
			}
			if x.Answer.Custom != "" && x.Chooses() {
				words = append(words, codexOther)
			}
			if x.Answer.Custom != "" {
				words = append(words, codexNote+x.Answer.Custom)
			}
		}
		if x.Note != "" {
			words = append(words, codexNote+x.Note)
		}
		if len(words) > 0 {
			answers[x.ID] = answer{words}
		}
	}
	all := r.Note
	if r.Dismissed || r.Discuss {
		all = refusal(rec)
	}
	if all != "" {
		answers[last] = answer{append(answers[last].Answers, codexNote+all)}
	}
	if len(answers) == 0 {
		return nil
	}
	return marshal(map[string]any{"answers": answers})
}
