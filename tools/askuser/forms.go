package askuser

import (
	"context"
	"errors"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/elicit"
	"mcp-askuser/ui/present"
)

// Elicit stands for the client's own form in Config.Surfaces.
func Elicit() ui.Surface { return noForm("there is no MCP client here") }

// noForm is the client's own form where there is none, and why.
type noForm string

func (noForm) Name() string { return "elicit" }

func (why noForm) Show(context.Context, desk.Record, ui.Commit) error {
	return ui.Unavailablef("%s", string(why))
}

// teller is a surface that may have to tell the human its address.
type teller interface {
	Telling(tell func(address string)) ui.Surface
}

// surfaces returns the surfaces to try, the client's own form in its place.
// An address can be told only where a human reads what the client shows of
// progress.
func (c *call) surfaces() present.Surfaces {
	return func(x *present.Presentation) []ui.Surface {
		out := make([]ui.Surface, 0, len(c.Surfaces)+1)
		for _, s := range c.Surfaces {
			if s.Name() == "elicit" {
				s = c.clientForm(x)
				if _, none := s.(noForm); !none && c.Whole != nil && c.style().Cuts(x.Set()) {
					out = append(out, c.Whole)
				}
			}
			if page, ok := s.(teller); ok && c.token != nil && c.shows && !c.Remote && c.attended() {
				s = page.Telling(x.SetAddress)
			}
			out = append(out, s)
		}
		return out
	}
}

// clientForm is the surface of the client's own form; a client that did not declare
// it is sent nothing.
func (c *call) clientForm(x *present.Presentation) ui.Surface {
	switch {
	case !c.client.Elicits(mcp.ElicitationModeForm):
		return noForm("the client did not declare form elicitation")
	case c.late:
		return noForm("the client shows a form only when the call has ended")
	case c.client.Modern:
		trip := &roundTrip{client: x}
		if c.Remote {
			trip.far = remoteTrip
		}
		return elicit.New(trip, c.style())
	}
	return elicit.New(c.Transport, c.style())
}

// remoteTrip is taken for the time that a form takes to a client over HTTP and its
// result back, where no request of ours can measure it.
const remoteTrip = 400 * time.Millisecond

// roundTrip puts forms to a client of the newer era: a call returns with the
// form, and the client calls again with the result, perhaps too late: there is
// no taking it back.
type roundTrip struct {
	client *present.Presentation
	far    time.Duration // of the time a form was away, at most this was on the way
	late   present.Late
}

// formKey names the one form among a call's input requests.
const formKey = "form"

var errNoAnswer = errors.New("the client called again without its form's result")

func (r *roundTrip) Late(read func(*mcp.ElicitationResult, time.Duration) (question.Reply, bool)) {
	r.late = func(brought any, took time.Duration) (question.Reply, bool) {
		return read(formResult(brought), took-r.far)
	}
}

func (r *roundTrip) Elicit(ctx context.Context, form mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	brought, took, err := r.client.ShowForm(ctx, form, r.late)
	if err != nil {
		return nil, 0, err
	}
	result := formResult(brought)
	if result == nil {
		return nil, took - r.far, errNoAnswer
	}
	return result, took - r.far, nil
}

// formResult is the form's result among what a call brought; nil for none.
func formResult(brought any) *mcp.ElicitationResult {
	responses, _ := brought.(mcp.InputResponses)
	return mcpserver.ElicitationResponse(responses, formKey)
}
