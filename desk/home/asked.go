package home

import (
	"context"
	"time"

	"mcp-askuser/desk"
)

// kindAsked is what was asked from here on the shared desk, until it is archived.
const kindAsked desk.Kind = "asked"

// KeepStatement implements desk.Keeper.
func (s *Store) KeepStatement(ctx context.Context, id, statement string) {
	near, err := s.isNear(ctx, id)
	switch {
	case near:
		return
	case err != nil:
	case statement == "":
		err = s.near.Delete(ctx, kindAsked, id)
	default:
		err = s.near.Put(ctx, kindAsked, id, []byte(statement))
	}
	if err != nil {
		s.log.Warn("what was asked is not kept on this machine", "id", id, "error", err)
	}
}

// Statement implements desk.Keeper.
func (s *Store) Statement(id string) string {
	data, err := s.near.Get(context.Background(), kindAsked, id)
	if err != nil {
		return ""
	}
	return string(data)
}

// forgetAsked removes what was asked long ago, and archived from elsewhere.
func (s *Store) forgetAsked() {
	for id, err := range s.near.List(s.ctx, kindAsked, desk.Range{Before: desk.FirstID(time.Now().Add(-desk.SessionKeep))}) {
		if err == nil {
			_ = s.near.Delete(s.ctx, kindAsked, id)
		}
	}
}
