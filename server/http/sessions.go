package http

import (
	"context"
	"errors"
	"sync"
	"time"

	"mcp-askuser/server"
	"mcp-askuser/server/tokens"
	"mcp-askuser/tools/askuser"
)

// errFull means that a token has as many sessions as it may have, all in use.
var errFull = errors.New("too many sessions of this token are open")

// session is the dialogue with one client, or a single request of 2026-07-28.
type session struct {
	*server.Session
	token tokens.Token // that opened it
	ctx   context.Context
	end   context.CancelCauseFunc

	// Guarded by sessions.mu:
	active int       // requests in progress
	last   time.Time // when the last one ended
}

// sessions are the open sessions. A handshake opens one; its client or the end of
// the server ends it. Where a token has too many, its idle session
// that was last used longest ago is ended. The sessions of one token take no
// room from those of another.
type sessions struct {
	max int // of each token

	mu     sync.Mutex
	all    map[string]*session
	closed bool
}

// add adds a session with one request in progress. The error is errFull, or
// askuser.ErrClosing after endAll.
func (x *sessions) add(s *session) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return askuser.ErrClosing
	}
	var count int
	var oldest *session // that is idle
	for _, other := range x.all {
		if other.token.Hash != s.token.Hash {
			continue
		}
		count++
		if other.active == 0 && (oldest == nil || other.last.Before(oldest.last)) {
			oldest = other
		}
	}
	if count >= x.max {
		if oldest == nil {
			return errFull
		}
		x.drop(oldest)
	}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	s.active = 1
	x.all[s.ID] = s
	return nil
}

// drop is remove for callers that hold x.mu.
func (x *sessions) drop(s *session) {
	delete(x.all, s.ID)
	s.end(askuser.ErrDisconnected)
}

// remove ends a session and all its requests.
func (x *sessions) remove(s *session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.drop(s)
}

// use returns the session with this id, with one more request in progress; nil
// where the token has none.
func (x *sessions) use(id string, token tokens.Token) *session {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.all[id]
	if s == nil || s.token.Hash != token.Hash || x.closed {
		return nil
	}
	s.active++
	return s
}

// leave ends a request of a session.
func (x *sessions) leave(s *session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s.active--
	s.last = time.Now()
}

// endAll ends every session and refuses further ones.
func (x *sessions) endAll() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	for _, s := range x.all {
		s.end(askuser.ErrClosing)
	}
}
