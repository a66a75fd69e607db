package mirror

import (
	"encoding/json"
	"slices"
	"strings"

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
	Item      string          // of a message's question: CodexItem. The answer is a message
	Sent      bool            // at its end: our reply had been sent, and was the first
	Answer    string          // at its end: the answer given in Codex, if known
}

type codexQuestion struct {
	hostQuestion
	ID     string `json:"id"`
	Other  bool   `json:"isOther"`
	Secret bool   `json:"isSecret"`
}

func (in CodexEvent) event() (event, bool) {
	out := event{session: in.Thread, directory: in.Directory, host: in.PID, sole: in.Request, print: printCodex}
	out.concerns = func(rec desk.Record) bool { return rec.Metadata[requestKey] == in.Request }
	if in.Questions == nil {
		out.end = func(rec desk.Record) (desk.Outcome, bool) {
			if in.Sent && rec.Outcome != nil {
				return *rec.Outcome, true
			}
			if in.Answer != "" {
				return answered(codexName, &rec.Set, question.Reply{Answers: []question.Answer{answerFromList(&rec.Questions[0], []string{in.Answer})}}), true
			}
			return gone(codexName, words.Mark("answered or closed there")), true // Codex does not report the answer
		}
		return out, true
	}
	var ok bool
	if in.Item != "" {
		in.Questions, out.print = codexRequest(in.Questions), in.printMessage
	}
	out.set, ok = codexSet(in.Questions)
	if ok {
		out.set.Metadata = map[string]any{requestKey: in.Request}
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

// codexRequest writes a message's question as a request has it; nil if it is unknown.
func codexRequest(data json.RawMessage) json.RawMessage {
	var in struct {
		Title   string   `json:"title"`
		Options []string `json:"options"`
	}
	if !strictly(data, &in) {
		return nil
	}
	options := make([]map[string]string, len(in.Options))
	for i, label := range in.Options {
		options[i] = map[string]string{"label": label}
	}
	return marshal([]any{map[string]any{"id": "q1", "question": in.Title, "options": options, "isOther": true}})
}

// CodexItem returns the id of a message's question, by which its answer names it.
func CodexItem(message string, index int) string {
	return strings.TrimSpace(string(marshal([]any{"request_user_input_async", message, index})))
}

// codexReply is an answer to a message's question, in a message of the user's.
type codexReply struct {
	Answer   string `json:"answer"`
	Question string `json:"question"`
	Item     string `json:"questionItemId"`
}

const (
	codexReplyStart = "<send_user_message_question_reply>"
	codexReplyEnd   = "</send_user_message_question_reply>"
	codexTitle      = 512 // of the question in a reply, in bytes
)

// CodexReplies returns the answers in a message of the user's, by CodexItem. They are nil
// if it is no reply.
func CodexReplies(content json.RawMessage) map[string]string {
	var parts []struct{ Type, Text string }
	var list []codexReply
	if json.Unmarshal(content, &parts) != nil || len(parts) == 0 || parts[0].Type != "text" {
		return nil
	}
	text, start := strings.CutPrefix(strings.TrimSpace(parts[0].Text), codexReplyStart)
	text, end := strings.CutSuffix(text, codexReplyEnd)
	if !start || !end || json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	replies := map[string]string{}
	for _, r := range list {
		replies[r.Item] = r.Answer
	}
	return replies
}

// printMessage writes a reply as the message that Codex's own dialog sends; notes are
// further lines.
func (in CodexEvent) printMessage(rec desk.Record) []byte {
	r, x := rec.Reply(), rec.Asked()[0]
	text := strings.TrimSpace(x.Text() + "\n" + x.Note + "\n" + r.Note)
	if r.Dismissed || r.Discuss {
		text = refusal(rec)
	}
	if text == "" {
		return nil
	}
	title := x.Question.Text[:min(len(x.Question.Text), codexTitle)]
	title = strings.ReplaceAll(strings.ToValidUTF8(title, ""), "\n", " ")
	list := marshal([]codexReply{{text, title, in.Item}})
	return slices.Concat([]byte(codexReplyStart+"\n"), list, []byte(codexReplyEnd))
}

// Answers of Codex's own dialog for a text of the user's.
const (
	codexOther = "None of the above"
	codexNote  = "user_note: "
)

// printCodex writes a reply as Codex reads it: the labels and texts for each question,
// as its dialog marks them. The protocol has no dismissal, which goes as a text.
func printCodex(rec desk.Record) []byte {
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
	r := rec.Reply()
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
