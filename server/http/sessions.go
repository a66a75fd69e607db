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

// errFull means that there is no place for a further session of a token.
var errFull = errors.New("too many sessions of this token are open")

// session is the dialogue with one client, or a single request of 2026-07-28.
type session struct {
	*server.Session
	token tokens.Token // it belongs to
	ctx   context.Context
	end   context.CancelCauseFunc

	// Guarded by sessions.mu:
	open int       // requests under way
	last time.Time // when there was one
}

// sessions are those that are open. A handshake opens one, which its client, its
// token or the server ends; where a token has too many, its idle session that was
// last used longest ago goes. No token can end, or leave no room for, a session of
// another.
type sessions struct {
	most int // of each token

	mu      sync.Mutex
	all     map[string]*session
	of      map[tokens.Token]int
	closing error
}

func newSessions(most int) *sessions {
	return &sessions{most: most, all: map[string]*session{}, of: map[tokens.Token]int{}}
}

// add makes place for a session with one request under way. The error is errFull
// or why there are none any more.
func (x *sessions) add(s *session) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closing != nil {
		return x.closing
	}
	if x.of[s.token] >= x.most && !x.makeRoom(s.token) {
		return errFull
	}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	s.open = 1
	x.all[s.ID] = s
	x.of[s.token]++
	return nil
}

// makeRoom ends the session of a token that was last used longest ago, unless all
// are in use.
func (x *sessions) makeRoom(token tokens.Token) bool {
	var oldest *session
	for _, s := range x.all {
		if s.open == 0 && s.token == token && (oldest == nil || s.last.Before(oldest.last)) {
			oldest = s
		}
	}
	if oldest == nil {
		return false
	}
	x.drop(oldest, askuser.ErrDisconnected)
	return true
}

// drop is remove with the lock held.
func (x *sessions) drop(s *session, cause error) {
	if x.all[s.ID] == s {
		delete(x.all, s.ID)
		if x.of[s.token]--; x.of[s.token] == 0 {
			delete(x.of, s.token)
		}
	}
	s.end(cause)
}

// remove ends a session and all that is under way in it.
func (x *sessions) remove(s *session, cause error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.drop(s, cause)
}

// use returns the session with this id, with one more request under way, if it
// is the token's.
func (x *sessions) use(id string, token tokens.Token) (*session, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.all[id]
	if s == nil || s.token != token || x.closing != nil {
		return nil, false
	}
	s.open++
	return s, true
}

// leave says that a request is no longer under way.
func (x *sessions) leave(s *session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s.open--
	s.last = time.Now()
}

// endWithout ends the sessions whose tokens are not good any more.
func (x *sessions) endWithout(good func(tokens.Token) bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for token := range x.of {
		if good(token) {
			continue
		}
		for _, s := range x.all {
			if s.token == token {
				x.drop(s, askuser.ErrDisconnected)
			}
		}
	}
}

// endAll ends every session and lets no other begin. They stay in the books for
// drain.
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
