package tty

import "context"

// Check implements ui.Checker.
func (s *surface) Check(context.Context) error {
	t, err := open(s.options.Path)
	if err != nil {
		return err
	}
	defer t.close()
	return t.free()
}
