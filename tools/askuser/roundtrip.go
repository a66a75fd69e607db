package askuser

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

// roundTrip puts forms to a client of the newer protocol era: a call returns
// with the form, and the client calls again with the result. It joins the
// surface, which waits for results, to the calls of one record, which come
// and go.
type roundTrip struct {
	out chan *form // offered to whichever call waits

	mu     sync.Mutex
	open   *form              // the form that waits for its result
	states map[string]handout // by secret
}

// handout is a form that a call took along.
type handout struct {
	*form
	asked bool // the call was one that asked
}

// form is one form on its way to the client and back.
type form struct {
	params mcp.ElicitationParams
	result chan answer // buffered: whoever brings the first result need not wait

	// Guarded by roundTrip.mu:
	sent     time.Time
	answered bool // its result is there, though the surface may not have it yet
}

type answer struct {
	result *mcp.ElicitationResult
	took   time.Duration
	err    error
}

func newRoundTrip() *roundTrip {
	return &roundTrip{out: make(chan *form), states: map[string]handout{}}
}

// Elicit offers the form to the calls that wait for the record until one of
// them, or a later one, brings its result.
func (r *roundTrip) Elicit(ctx context.Context, params mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
	f := &form{params: params, result: make(chan answer, 1)}
	r.set(f)
	defer r.set(nil)
	for {
		select {
		case r.out <- f:
		case a := <-f.result:
			return a.result, a.took, a.err
		case <-ctx.Done():
			return nil, 0, context.Cause(ctx)
		}
	}
}

func (r *roundTrip) set(f *form) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = f
}

// formKey names the one form among a call's input requests.
const formKey = "form"

// hand returns the result that takes f to the client; nil where the form has
// its result already, and was offered in the same moment. Its request state is
// the record's id and a secret that only this client gets to see (FACTS 5.11).
func (r *roundTrip) hand(f *form, id string, asked bool) *mcp.CallToolResult {
	secret := rand.Text()
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.answered {
		return nil
	}
	f.sent = time.Now()
	r.states[secret] = handout{f, asked}
	return mcpserver.NewInputRequestBuilder(id+"."+secret).Elicit(formKey, f.params).ToolResult()
}

var errNoAnswer = errors.New("the client called again without its form's result")

// bring takes the result in a repeated call to the surface. A result to a form
// that waits no longer, or under a state that was never handed out, is no
// result. It reports whether the form was handed out, and whether the call that
// took it along had asked.
func (r *roundTrip) bring(secret string, responses mcp.InputResponses) (asked, handed bool) {
	a := answer{result: mcpserver.ElicitationResponse(responses, formKey)}
	if a.result == nil {
		a.err = errNoAnswer
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	h, handed := r.states[secret]
	delete(r.states, secret)
	if !handed || h.form != r.open {
		return h.asked, handed
	}
	a.took = time.Since(h.sent)
	h.answered = true
	select {
	case h.result <- a:
	default: // a result is there already
	}
	return h.asked, true
}

// splitState takes a request state apart.
func splitState(state string) (id, secret string) {
	id, secret, _ = strings.Cut(state, ".")
	return id, secret
}
