package web

import (
	"context"

	"mcp-askuser/ui"
)

// Check implements ui.Checker.
func (s *Surface) Check(context.Context) error {
	if why := s.options.Desktop(); why != nil {
		return ui.Unavailablef("%v", why)
	}
	return nil
}
