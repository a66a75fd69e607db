package present_test

import (
	"testing"

	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

// Each of two equal confirmations that wait at once has an answer of its own: one yes allows
// one action. A call that takes the place of one that has left joins its question.
func TestConfirmationsAtOnce(t *testing.T) {
	for name, withForm := range map[string]bool{"a call waits": false, "the form is with the client": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			confirm := func() *present.Waiter {
				request := request()
				request.Set.Questions = []question.Question{{ID: "q1", Text: "Deploy?", Type: question.Boolean, Required: true,
					Options: question.YesAndNo()}}
				return r.askFor(present.Question{Request: request, Surfaces: func(x *present.Presentation) []ui.Surface {
					return []ui.Surface{shows(x, make(chan any, 1))}
				}})
			}
			first := confirm()
			if withForm {
				first.Take(offered(t, first))
			}
			second := confirm()
			if first.Record().ID == second.Record().ID {
				t.Fatal("two calls share one question")
			}
			first.Leave()
			third := confirm()
			if third.Record().ID != first.Record().ID {
				t.Error("a call does not join the question of the one that it repeats")
			}
			r.elsewhere(third.Record().ID, question.YesID)
			r.ends("answered inbox Yes", third)
			third.Delivered()
			r.elsewhere(second.Record().ID, question.NoID)
			r.ends("answered inbox No", second)
		})
	}
}
