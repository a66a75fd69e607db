//go:build browser

package web

import "testing"

// TestBrowserPasskeyDeclined: where the user, or their device, declines to make a passkey or to sign,
// the page says that, and not what the browser says to programs.
func TestBrowserPasskeyDeclined(t *testing.T) {
	t.Parallel()
	s := sign(t, wide)
	s.verifies(false)
	s.visit("/passkey?name=laptop")
	s.click(confirmButton)
	s.shows(".fault", "No passkey was made. Try again.")
	s.verifies(true)
	s.register("laptop")
	rec := s.open(deploy())
	s.verifies(false)
	s.yes(rec)
	s.shows("#news", "Not sent. Your passkey did not sign the answer. Try again.")
	s.pending(rec.ID)
}
