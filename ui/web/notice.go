package web

import (
	"net/http"
	"net/url"

	"mcp-askuser/desk"
	recordview "mcp-askuser/ui/view"
	"mcp-askuser/ui/words"
)

// notice is a sentence about something that has just happened.
type notice struct {
	Words string
	Late  bool // another answer was first
}

// notices puts into words what parameters of the page ask to be told.
func (s *Server) notices(r *http.Request, ends url.Values) (out []notice) {
	for _, end := range []string{endSent, endKept, endAny, endLifted, endAsked} {
		for _, id := range ends[end] {
			rec, err := s.Desk.Get(r.Context(), id)
			open := end == endLifted || end == endAsked && rec.Earlier == "" // else the user has reopened it
			if err == nil && (rec.Outcome != nil || open) {
				out = append(out, noticeOf(s.languageOf(r), rec, end))
			}
		}
	}
	return out
}

func noticeOf(l words.Language, rec desk.Record, end string) notice {
	shown := recordview.Of(rec, l)
	who := shown.AskedBy()
	late := shown.LateReply()
	switch {
	case end == endAsked:
		return notice{Words: l.T("%s asks something.", who)}
	case end == endLifted:
		return notice{Words: l.T("The limit is lifted. %s may go on asking.", who)}
	case end == endAny && late != "":
		return notice{late, true}
	case end == endAny:
		return notice{Words: l.T("%[1]s: already %[2]s.", who, shown.Ended())}
	case rec.Asker.Mirrored() && rec.Outcome.Provisional:
		return notice{Words: l.T("Recorded. %s shows the question in its own dialog too, "+
			"and takes the answer that it gets first.", who)}
	}
	var sent, kept string
	switch rec.State {
	case desk.Dismissed:
		sent = words.Mark("Dismissed. %s goes on without an answer.")
		kept = words.Mark("Dismissed. %s hears of it when it comes back.")
	case desk.Discuss:
		sent = words.Mark("To be discussed. %s goes on with that.")
		kept = words.Mark("To be discussed. %s hears of it when it comes back.")
	default:
		sent, kept = words.Mark("Sent to %s."), words.Mark("Kept for %s, which gets it when it comes back.")
	}
	if end == endKept {
		sent = kept
	}
	return notice{Words: l.T(sent, who)}
}
