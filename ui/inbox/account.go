package inbox

import (
	"fmt"
	"strings"
	"time"

	"mcp-askuser/question"
	"mcp-askuser/ui/term"
	"mcp-askuser/ui/words"
)

// account returns a reader of everything there is to know of a record: what
// was asked, what became of it, who asked, where it was shown.
func account(r row, zone *time.Location) *term.Reader {
	title := "Question"
	if r.rec.Outcome != nil {
		title = "Past question"
	}
	return term.NewReader(title, func(s *term.Styles, width int) []string {
		lines := term.DrawRecord(s, r.rec, true, width)
		for _, f := range facts(r, zone) {
			lines = append(lines, term.Hang(s.Muted.Render(term.Pad(f[0], 9)), f[1], width)...)
		}
		return lines
	})
}

// facts are names and what they stand for.
func facts(r row, zone *time.Location) [][2]string {
	rec := r.rec
	at := func(t time.Time) string { return t.In(zone).Format("2 Jan 2006 15:04:05") }
	out := [][2]string{{"Asked", at(rec.CreatedAt)}}
	add := func(name, value string) {
		if value != "" {
			out = append(out, [2]string{name, value})
		}
	}
	switch o := rec.Outcome; {
	case o != nil:
		add("Ended", words.Outcome(o)+", "+at(o.At))
		add("Reason", words.Reason(o))
		add("Later", words.Overruled(rec))
	case rec.Attended:
		add("State", "somebody waits for the answer")
	default:
		add("State", "nobody waits right now; an answer will be kept")
	}
	add("Home", words.Home(rec))
	add("By", strings.TrimSpace(words.Client(rec.Asker)+" "+question.Line(rec.Asker.Version)))
	add("In", question.Line(rec.Asker.Directory))
	add("Branch", question.Line(r.branch))
	if rec.SessionID != "" {
		add("Session", question.Line(rec.SessionID))
		add("Round", fmt.Sprint(rec.Round))
	}
	for _, s := range rec.ShownOn {
		shown := words.Surface(s.Surface)
		if s.Why != "" {
			shown = "not " + shown + ": " + question.Line(s.Why)
		}
		add("Shown", shown)
	}
	add("Id", rec.ID)
	return out
}
