package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// Progress is how far a question has come.
type Progress int

// What was acknowledged before the power was cut.
const (
	Asked      Progress = iota // Submit has returned
	Answered                   // Reply has returned: the user was told "sent"
	Delivering                 // the response may have been written
	PutAway                    // CollectRecord has returned
)

// Acknowledged is a question, as far as its process said. Its name is its text, and
// decides its answer.
type Acknowledged struct {
	ID, Name string
	Progress Progress
}

// Conversation asks, answers, delivers and puts away. The two desks may be one.
type Conversation struct {
	Asker, Human *desk.Desk
	Says         func(Acknowledged) // what is done, as soon as it is
}

// Run takes a new question of this name as far as it is to come. An error is that of
// the desk.
func (c *Conversation) Run(ctx context.Context, name string, until Progress) error {
	rec, attendance, err := c.Asker.Submit(ctx, powerRequest(name))
	if err != nil {
		return err
	}
	defer attendance.Release()
	says := func(p Progress) bool {
		c.Says(Acknowledged{rec.ID, name, p})
		return p == until
	}
	if says(Asked) {
		return nil
	}
	if rec, err = c.answer(ctx, rec.ID, name); err != nil || says(Answered) {
		return err
	}
	says(Delivering)
	if err := c.Asker.Delivered(ctx, rec); err != nil || until == Delivering {
		return err
	}
	if err := c.Asker.CollectRecord(ctx, rec); err != nil {
		return err
	}
	says(PutAway)
	return nil
}

func (c *Conversation) answer(ctx context.Context, id, name string) (desk.Record, error) {
	return c.Human.Reply(ctx, id, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Custom: powerAnswer(name)}}},
		desk.Evidence{Surface: "tty", How: desk.HowPage})
}

func powerRequest(name string) desk.Request {
	return desk.Request{
		Session: name,
		Asker:   desk.Asker{Client: "test", Directory: "/home/u/project", Via: "mcp"},
		Set:     question.Set{Questions: []question.Question{{ID: "q1", Text: name, Type: question.Text}}},
	}
}

// powerAnswer is longer than a page of a file.
func powerAnswer(name string) string { return name + strings.Repeat("x", 5000) }

// PowerReport counts what was found when the power was back.
type PowerReport struct{ Cuts, Questions, Answers, Lost, Double, Torn int }

func (r PowerReport) String() string {
	return fmt.Sprintf("%d cuts, %d acknowledged questions, %d acknowledged answers: %d lost, %d double, %d torn",
		r.Cuts, r.Questions, r.Answers, r.Lost, r.Double, r.Torn)
}

// Check looks for what was acknowledged, and puts it away: a question that was asked
// is there, and an asker that asks the same gets it again; an answer that was given is
// there, whole, and the only one; what was put away is delivered to no other call.
// It returns what is acknowledged from then on. Says of c is not called.
func (r *PowerReport) Check(t testing.TB, c *Conversation, all []Acknowledged) []Acknowledged {
	t.Helper()
	checked := make([]Acknowledged, 0, len(all))
	for _, a := range all {
		r.Questions++
		if a.Progress >= Answered {
			r.Answers++
		}
		rec, err := c.Asker.Get(t.Context(), a.ID)
		if err != nil {
			r.Lost++
			t.Errorf("%+v: %v", a, err)
			continue
		}
		switch got := textOf(rec); {
		case got == "" && a.Progress >= Answered:
			r.Lost++
			t.Errorf("%+v: it has no answer", a)
		case got != "" && got != powerAnswer(a.Name):
			r.Torn++
			t.Errorf("%+v: the answer is %.40q", a, got)
		}
		again, attendance, err := c.Asker.Submit(t.Context(), powerRequest(a.Name))
		if err != nil {
			t.Errorf("%+v: asked again: %v", a, err)
			continue
		}
		if same := again.ID == a.ID; a.Progress < Delivering && !same || a.Progress == PutAway && same {
			r.Double++
			t.Errorf("%+v: asked again it is %s, %s", a, again.ID, again.State)
		}
		for _, id := range []string{a.ID, again.ID} {
			if err := c.end(t.Context(), id, a.Name); err != nil {
				t.Errorf("%+v: %v", a, err)
			}
		}
		attendance.Release()
		checked = append(checked, Acknowledged{a.ID, a.Name, PutAway})
	}
	return checked
}

// end answers a question that is open, and puts it away.
func (c *Conversation) end(ctx context.Context, id, name string) error {
	rec, err := c.Asker.Get(ctx, id)
	if err == nil && rec.State == desk.Pending {
		rec, err = c.answer(ctx, id, name)
	}
	if err != nil {
		return err
	}
	return c.Asker.CollectRecord(ctx, rec)
}

func textOf(rec desk.Record) string {
	if rec.Outcome == nil || rec.Outcome.Reply == nil || len(rec.Outcome.Reply.Answers) == 0 {
		return ""
	}
	return rec.Outcome.Reply.Answers[0].Custom
}
