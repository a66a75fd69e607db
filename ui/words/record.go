package words

import (
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// What is said of an answer, or of what stands in its way, in every room.
const (
	AskDismiss  = "Close without answering?"
	Sent        = "Answer sent."
	Dismissed   = "Dismissed."
	NobodyWaits = "Nobody is waiting right now; your answer will be kept."
	LimitLifted = "The limit is lifted: the agent may go on asking in this session."
)

// LastRound says that the round limit comes after this round (D9), and what to
// press or enter to lift it.
func LastRound(key string) string {
	return "Last round: after this one the agent cannot ask again for a while. " + key + " lifts the limit for this session."
}

// LimitStays says that lifting the limit failed.
func LimitStays(err error) string { return Sentence("The limit stays: " + question.Line(err.Error())) }

// Ending says how a record ended, where, when and why, in one line.
func Ending(o *desk.Outcome, zone *time.Location) string {
	text := Outcome(o)
	if o == nil {
		return text
	}
	text += ", " + o.At.In(zone).Format("2 Jan 15:04")
	if reason := Reason(o); reason != "" {
		text += ": " + question.Line(reason)
	}
	return text
}

// Other is the option that stands for the human's own words, as the asker
// worded it or as is usual.
func Other(q *question.Question) question.Option {
	var o question.Option
	if q.Other != nil {
		o = *q.Other
	}
	if o.Label == "" {
		o.Label = "Other"
	}
	if o.Description == "" {
		o.Description = "Something else, in your own words"
	}
	return o
}
