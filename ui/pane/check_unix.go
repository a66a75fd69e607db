//go:build unix

package pane

import "context"

// Check implements ui.Checker.
func (s *surface) Check(context.Context) error {
	k, at, err := s.find()
	if err != nil {
		return err
	}
	_, err = k.view(at)
	return err
}
