package askuser

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// A form whose result has arrived is not handed out again, however the calls
// and the surface meet.
func TestFormIsAnsweredOnce(t *testing.T) {
	accepted := mcp.ElicitationResult{}
	accepted.Action = mcp.ElicitationResponseActionAccept
	responses := mcp.InputResponses{formKey: mcp.NewElicitationInputResponse(accepted)}
	for range 2000 {
		r := newRoundTrip()
		got := make(chan *mcp.ElicitationResult, 1)
		go func() {
			result, _, err := r.Elicit(context.Background(), mcp.ElicitationParams{Message: "Go on?"})
			if err != nil {
				t.Error(err)
			}
			got <- result
		}()
		first := r.hand(<-r.out, "id", true)
		_, secret := splitState(first.RequestState)
		if asked, handed := r.bring(secret, responses); !asked || !handed {
			t.Fatal("the form was not known")
		}
		// The call that brought it waits on.
		for waiting := true; waiting; {
			select {
			case f := <-r.out:
				if again := r.hand(f, "id", true); again != nil {
					t.Fatal("the form was handed out again")
				}
			case result := <-got:
				if result.Action != mcp.ElicitationResponseActionAccept {
					t.Fatalf("got %+v", result)
				}
				waiting = false
			}
		}
		if _, handed := r.bring(secret, responses); handed {
			t.Fatal("a state counts twice")
		}
	}
}
