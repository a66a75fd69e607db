package elicit

import (
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// A client whose user has answered a form does not close the next by itself, however soon.
func TestClosedSoonAfterAnAnswer(t *testing.T) {
	forms := 0
	got := show(clientFunc(func(mcp.ElicitationParams) (*mcp.ElicitationResult, time.Duration, error) {
		forms++
		if forms == 1 {
			return result("accept", `{"q1":"MongoDB"}`), slow, nil
		}
		return result("cancel", ""), time.Second / 2, nil
	}), Style{}, database(), goOn())
	if got != "dismissed" {
		t.Errorf("got %s", got)
	}
}
