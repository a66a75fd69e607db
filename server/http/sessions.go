package http

import (
	"context"
	"errors"
	"maps"
	"slices"
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

// sessions are the open sessions. A handshake opens one; its client, the end of
// its token or the server ends it. Where a token has too many, its idle session
// that was last used longest ago is ended. The sessions of one token take no
// room from those of another.
type sessions struct {
	max int // of each token

	mu      sync.Mutex
	all     map[string]*session
	count   map[tokens.Token]int
	closing error
}

func newSessions(limit int) *sessions {
	return &sessions{max: limit, all: map[string]*session{}, count: map[tokens.Token]int{}}
}

// add adds a session with one request in progress. The error is errFull, or the
// cause with which all sessions were ended.
func (x *sessions) add(s *session) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closing != nil {
		return x.closing
	}
	if x.count[s.token] >= x.max && !x.makeRoom(s.token) {
		return errFull
	}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	s.active = 1
	x.all[s.ID] = s
	x.count[s.token]++
	return nil
}

// makeRoom ends the session of a token that was last used longest ago, unless all
// are in use. Callers must hold x.mu.
func (x *sessions) makeRoom(token tokens.Token) bool {
	var oldest *session
	for _, s := range x.all {
		if s.active == 0 && s.token == token && (oldest == nil || s.last.Before(oldest.last)) {
			oldest = s
		}
	}
	if oldest == nil {
		return false
	}
	x.drop(oldest, askuser.ErrDisconnected)
	return true
}

// drop is remove for callers that hold x.mu.
func (x *sessions) drop(s *session, cause error) {
	if x.all[s.ID] == s {
		delete(x.all, s.ID)
		if x.count[s.token]--; x.count[s.token] == 0 {
			delete(x.count, s.token)
		}
	}
	s.end(cause)
}

// remove ends a session and all its requests.
func (x *sessions) remove(s *session, cause error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.drop(s, cause)
}

// use returns the session with this id, with one more request in progress; nil
// where the token has none.
func (x *sessions) use(id string, token tokens.Token) *session {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.all[id]
	if s == nil || s.token != token || x.closing != nil {
		return nil
	}
	s.active++
	return s
}

// leave says that a request of a session is no longer in progress.
func (x *sessions) leave(s *session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s.active--
	s.last = time.Now()
}

// endWithout ends the sessions whose tokens are no longer valid.
func (x *sessions) endWithout(valid func(tokens.Token) bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for token := range x.count {
		if valid(token) {
			continue
		}
		for _, s := range x.all {
			if s.token == token {
				x.drop(s, askuser.ErrDisconnected)
			}
		}
	}
}

// endAll ends every session and refuses further ones. They are kept for drain.
func (x *sessions) endAll(cause error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closing = cause
	for _, s := range x.all {
		s.end(cause)
	}
}

// drain waits for the handlers of all sessions, until ctx ends.
func (x *sessions) drain(ctx context.Context) {
	x.mu.Lock()
	all := slices.Collect(maps.Values(x.all))
	x.mu.Unlock()
	for _, s := range all {
		select {
		case <-s.Drain():
		case <-ctx.Done():
			return
		}
	}
}
