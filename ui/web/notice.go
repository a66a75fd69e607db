package web

import (
	"cmp"
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
	for _, end := range []string{endSent, endKept, endAny} {
		for _, id := range ends[end] {
			rec, err := s.Desk.Get(r.Context(), id)
			if err == nil && rec.Outcome != nil {
				out = append(out, noticeOf(s.languageOf(r), rec, end))
			}
		}
	}
	return out
}

func noticeOf(l words.Language, rec desk.Record, end string) notice {
	shown := recordview.Of(rec, l)
	who := shown.AskedBy()
	switch {
	case end == endAny:
		return notice{tooLate(l, shown), shown.LateReply() != ""}
	case rec.Asker.Mirrored() && rec.Outcome.Provisional:
		return notice{Words: l.T("Recorded. %s shows the question in its own dialog too, "+
			"and takes the answer that it gets first.", who)}
	case end == endKept:
		return notice{Words: l.T("Kept for %s, which gets it when it comes back.", who)}
	case rec.State == desk.Dismissed:
		return notice{Words: l.T("Dismissed. %s goes on without an answer.", who)}
	case rec.State == desk.Discuss:
		return notice{Words: l.T("To be discussed. %s goes on with that.", who)}
	}
	return notice{Words: l.T("Sent to %s.", who)}
}

// tooLate says how a question had ended before the user answered it.
func tooLate(l words.Language, rec recordview.Record) string {
	return cmp.Or(rec.LateReply(), l.T("%[1]s: already %[2]s.", rec.AskedBy(), rec.Ended()))
}
