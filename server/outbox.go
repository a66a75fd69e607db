package server

// Outbox takes what belongs to one request of the client's, or to all of them.
type Outbox interface {
	// Send takes a message, to be written in its turn. It must not block: a
	// client that does not read must not keep us from reading. For every
	// message that it took, the transport calls Write or Drop, once. The error
	// is askuser.ErrDisconnected where no message can be taken any more, or
	// says why this one cannot.
	Send(m Outgoing) error
}

// Outgoing is one message on its way to the client.
type Outgoing struct {
	line []byte
	call *Call // the request it belongs to; nil where that was refused
	kind kind
	code int // of JSON-RPC, where it is an error
}

type kind int

const (
	response     kind = iota // ends its request
	notification             // is of no use without its call
	request                  // of ours, or its withdrawal: goes out in any case
)

// Write has write send the message's line, JSON that ends in its only newline,
// unless the client must not see it any more: nothing follows a call's
// response or its cancel, and a cancelled call gets no response.
// Whoever waits to hear whether a response was written ([Call.Delivered]) is
// told before Write returns. The error is that of write.
//
// The messages of one call are written one at a time, in the order in which
// they were sent.
func (m Outgoing) Write(write func(line []byte) error) error {
	switch {
	case m.call == nil || m.kind == request:
		return write(m.line)
	case m.kind == notification:
		if !m.call.session.calls.isOpen(m.call) {
			return nil
		}
		return write(m.line)
	}
	if !m.call.session.calls.close(m.call) {
		m.Drop()
		return nil
	}
	err := write(m.line)
	m.call.tell(err == nil)
	return err
}

// Drop gives up a message that will not be written.
func (m Outgoing) Drop() {
	if m.call != nil && m.kind == response {
		m.call.session.calls.close(m.call)
		m.call.tell(false)
	}
}

// Last reports whether the message ends its request: no other will follow.
// Each request has one, wanted or not.
func (m Outgoing) Last() bool { return m.kind == response }

// Code is the code of an error of JSON-RPC; 0 is none.
func (m Outgoing) Code() int { return m.code }
