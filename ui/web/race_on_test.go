//go:build race

package web

// raceFactor is how much longer things may take under the race detector, beside
// the tests of other packages: these limits are then a net for what hangs.
const raceFactor = 20
