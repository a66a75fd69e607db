package waittest

import (
	"testing"
	"time"
)

// Patience ends a test whose event never comes. Nothing waits for it to pass.
const Patience = time.Minute

// Take takes the next value of a channel.
func Take[T any](t testing.TB, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(Patience):
		t.Fatal("waited in vain")
	}
	return value
}

// TakeAll takes n values. A channel that is closed has any number of them.
func TakeAll[T any](t testing.TB, from <-chan T, n int) (values []T) {
	t.Helper()
	deadline := time.After(Patience)
	for len(values) < n {
		select {
		case value := <-from:
			values = append(values, value)
		case <-deadline:
			t.Fatalf("only %d of %d came", len(values), n)
		}
	}
	return values
}
