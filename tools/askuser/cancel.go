package askuser

import "errors"

// Cancelled is the cause of a call's context when the client withdrew the
// call with notifications/cancelled.
type Cancelled struct {
	Reason string // the client's own words; empty where it gave none
}

func (c *Cancelled) Error() string {
	if c.Reason == "" {
		return "cancelled by the client"
	}
	return "cancelled by the client: " + c.Reason
}

// ErrDisconnected is the cause of a call's context when the connection to the
// client ended.
var ErrDisconnected = errors.New("the client has disconnected")
