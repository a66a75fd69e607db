package server

// Outbox takes the messages that belong to one request of the client's, or to all
// of them.
type Outbox interface {
	// Send enqueues a message. It must not block: a client that does not read
	// must not keep us from reading. For every message that it took, the
	// transport calls Write or Drop, once. The error is askuser.ErrDisconnected
	// where no message is taken any more, or says why this one is not.
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
	notification             // dropped once its call has ended
	request                  // of ours, or its withdrawal: always written
)

// Write calls write with the message's line, JSON that ends in its only newline,
// unless the client must not see it any more: nothing follows a call's response
// or its cancel, and a cancelled call gets no response. The function given to
// [Call.Delivered] is called before Write returns. The error is that of write.
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
	m.call.reportDelivery(err == nil)
	return err
}

// Drop gives up a message that will not be written.
func (m Outgoing) Drop() {
	if m.call != nil && m.kind == response {
		m.call.session.calls.close(m.call)
		m.call.reportDelivery(false)
	}
}

// Last reports whether the message ends its request: no other will follow.
// Each request has one, wanted or not.
func (m Outgoing) Last() bool { return m.kind == response }

// Code is the code of an error of JSON-RPC; 0 is none.
func (m Outgoing) Code() int { return m.code }
