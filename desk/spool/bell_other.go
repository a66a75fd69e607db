//go:build !linux

package spool

import (
	"context"

	"mcp-askuser/desk"
)

// Bell implements desk.Store: only Linux tells the reader of a pipe, through
// what Go waits with, that a writer has closed it.
func (s *Spool) Bell(context.Context, string, func() bool) error { return desk.ErrNoBells }

func (s *Spool) holdBell(string) (ring func(), err error) { return func() {}, nil }

func (s *Spool) removeBell(string) {}

// sentry has nothing to do where there are no bells: [Spool.Watch] ends with the store.
type sentry struct{}
