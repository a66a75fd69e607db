package wire

import (
	"strings"
	"testing"
	"time"

	"mcp-askuser/question"
)

// An answer is no older than its question, whatever the clock of the user's machine says.
func TestAgeByAnotherClock(t *testing.T) {
	rec := answeredBy(asked(databaseQuestion()), "", question.Answer{QuestionID: "q1", Selected: []string{"postgresql"}})
	rec.Outcome.At = time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	now := rec.Outcome.At.Add(27 * time.Hour)
	for asked, want := range map[time.Duration]string{30 * time.Second: "", 90 * time.Minute: " 1 h ago."} {
		rec.CreatedAt = now.Add(-asked)
		r := NewResult(rec)
		r.Age(rec, now)
		if !strings.HasSuffix(r.Text, want) || strings.Contains(r.Text, " ago") != (want != "") {
			t.Errorf("asked %v ago: %s", asked, r.Text)
		}
	}
}
