// Package ownstack keeps the stacks of thousands of goroutines small. It imports
// nothing of ours.
package ownstack

// Run runs f on a stack of its own, which goes with it, and panics as f does.
// To read a record or to decode a message takes far more stack than to wait
// does, and a stack that has grown stays.
func Run(f func()) {
	panicked := make(chan any, 1)
	go func() {
		defer func() { panicked <- recover() }()
		f()
	}()
	if why := <-panicked; why != nil {
		panic(why)
	}
}
