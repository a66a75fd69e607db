package view

import (
	"time"

	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

// Details are what is known of the record beside its questions and answers, as names and
// values: when it was asked, how it ended or when it closes (zero for never), who asked, where
// it was shown. Times are in a zone.
func (r Record) Details(zone *time.Location) (out [][2]string) {
	at := func(t time.Time) string { return t.In(zone).Format(r.l.T("2 Jan 2006 15:04:05")) }
	add := func(name, value string) {
		if value != "" {
			out = append(out, [2]string{name, value})
		}
	}
	add(r.l.T("Asked"), at(r.CreatedAt))
	switch o := r.Outcome; {
	case o != nil:
		add(r.l.T("Ended"), r.l.T("%[1]s, %[2]s", r.Ended(), at(o.At)))
		add(r.l.T("Reason"), r.Reason())
		add(r.l.T("Later"), r.LateReply())
		add("", r.LateAnswer())
		if o.Provisional { // also in the host's own dialog
			add(r.l.T("Taken"), r.l.T("not known yet"))
		}
	case r.Attended:
		add(r.l.T("State"), r.l.T("the agent waits for the answer"))
	default:
		add(r.l.T("State"), r.l.T(words.AgentNotWaiting))
	}
	deadline := r.Deadline()
	if !deadline.IsZero() {
		add(r.l.T("Closes"), at(deadline))
	}
	add(r.l.T("By"), r.Program())
	add(r.l.T("In"), question.Line(r.Asker.Directory))
	add(r.l.T("Session"), question.Line(r.SessionID))
	add("", r.RoundText())
	for _, s := range r.ShownOn {
		shown := r.l.Surface(s.Surface)
		if s.Why != "" {
			shown = r.l.T("not %[1]s: %[2]s", shown, question.Line(s.Why))
		}
		add(r.l.T("Shown"), shown)
	}
	add(r.l.T("Id"), r.ID)
	add(r.l.T("Earlier"), question.Line(r.Earlier))
	return out
}
