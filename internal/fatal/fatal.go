// Package fatal ends tests whose preparations fail. Nothing shipped imports it.
package fatal

import "testing"

// If ends the test where err is not nil.
func If(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
