package web

import (
	"net"
	"sync"
)

// limited is a listener with at most so many connections open at a time;
// further ones wait to be accepted.
type limited struct {
	net.Listener
	open chan struct{} // holds a token for each connection
}

func newLimited(ln net.Listener, most int) limited {
	return limited{ln, make(chan struct{}, most)}
}

// Accept waits for a connection to end where there are too many. A server that
// ends closes its connections, so that it waits for ever for none.
func (l limited) Accept() (net.Conn, error) {
	l.open <- struct{}{}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.open
		return nil, err
	}
	return counted{conn, sync.OnceFunc(func() { <-l.open })}, nil
}

// counted is a connection that a limited listener counts.
type counted struct {
	net.Conn
	forget func()
}

func (c counted) Close() error {
	defer c.forget()
	return c.Conn.Close()
}
