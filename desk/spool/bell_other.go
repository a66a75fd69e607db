//go:build !linux

package spool

import (
	"context"
	"errors"
)

// Bell implements desk.Store: only Linux tells the reader of a pipe, through
// what Go waits with, that a writer has let go.
func (s *Spool) Bell(context.Context, string) (<-chan struct{}, func(), error) {
	return nil, nil, errors.ErrUnsupported
}

func (s *Spool) grip(string) (letGo func(), err error) { return func() {}, nil }

func (s *Spool) removeBells(string) {}
