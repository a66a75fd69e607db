package askuser

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"mcp-askuser/desk"
	"mcp-askuser/ui"
	"mcp-askuser/ui/elicit"
	"mcp-askuser/ui/present"
)

// Elicit returns the placeholder of the client's own form in Config.Surfaces.
func Elicit() ui.Surface { return unavailableForm("there is no MCP client here") }

// unavailableForm is the surface of a client without a form of its own. Its value
// is the reason.
type unavailableForm string

func (unavailableForm) Name() string { return "elicit" }

func (why unavailableForm) Show(context.Context, desk.Record, ui.Commit) error {
	return ui.Unavailablef("%s", string(why))
}

// surfaces returns the surfaces to try, with the client's own form in place of the
// placeholder.
func (c *call) surfaces(withForm bool) present.Surfaces {
	return func(x *present.Presentation) []ui.Surface {
		out := make([]ui.Surface, 0, len(c.Surfaces)+1)
		for _, s := range c.Surfaces {
			if s.Name() == "elicit" {
				s = c.clientForm(x, withForm)
				if _, none := s.(unavailableForm); !none && c.Beside != nil &&
					(c.paneFirst && c.attended() || c.style().Cuts(&x.Record().Set)) {
					out = append(out, c.Beside)
				}
			}
			out = append(out, s)
		}
		return out
	}
}

// style returns what the client's form can do. Arrays exist since 2025-11-25, and
// some hosts cannot show them.
func (c *call) style() elicit.Style {
	s := c.form
	s.Arrays = !s.Line && c.client.ProtocolVersion >= mcp.ProtocolVersion20251125
	return s
}

// formLater reports whether a call that does not wait leaves its question to the client's
// form, which await_answer shows, and which takes neither a secret nor what must be signed.
func (c *call) formLater(rec *desk.Record) bool {
	return c.noWait && (c.name == "" || c.attended()) && c.client.Elicits() &&
		rec.Secret() == nil && !c.Desk.RequiresProof(rec) &&
		slices.ContainsFunc(c.Surfaces, func(s ui.Surface) bool { return s.Name() == "elicit" })
}

// clientForm returns the surface of the client's own form. A client that did not
// declare forms receives none.
func (c *call) clientForm(x *present.Presentation, waits bool) ui.Surface {
	switch {
	case !waits:
		return unavailableForm("the client shows a form only while a call waits")
	case c.Desk.RequiresProof(x.Record()):
		return unavailableForm("the answer must be signed, which the client's form cannot do")
	case !c.client.Elicits():
		return unavailableForm("the client did not declare form elicitation")
	}
	var client elicit.Client = c.Transport
	if c.client.Modern {
		client = roundTrip{x}
	}
	if c.Remote {
		client = remoteForm{client}
	}
	return elicit.New(client, c.style(), c.Desk)
}

// remoteTransit is assumed for the transfer of a form to a client over HTTP and of
// its result back.
const remoteTransit = 400 * time.Millisecond

// remoteForm shows forms with a client over HTTP. The transfer does not count as time in
// which its user saw the form.
type remoteForm struct{ elicit.Client }

func (r remoteForm) Elicit(
	ctx context.Context, form mcp.ElicitationParams,
) (*mcp.ElicitationResult, time.Duration, error) {
	result, took, err := r.Client.Elicit(ctx, form)
	return result, took - remoteTransit, err
}

// roundTrip shows forms with a client of 2026-07-28: a call returns the form, and
// the client calls again with the result. The form cannot be withdrawn.
type roundTrip struct{ client *present.Presentation }

// formKey names the one form among a call's input requests.
const formKey = "form"

var errNoAnswer = errors.New("the client called again without its form's result")

func (r roundTrip) Elicit(
	ctx context.Context, form mcp.ElicitationParams,
) (*mcp.ElicitationResult, time.Duration, error) {
	brought, took, err := r.client.ShowForm(ctx, form)
	if err != nil {
		return nil, 0, err
	}
	responses, _ := brought.(mcp.InputResponses)
	result := mcpserver.ElicitationResponse(responses, formKey)
	if result == nil {
		err = errNoAnswer
	}
	return result, took, err
}
