//go:build race

package web

// raceFactor is how much longer things may take under the race detector.
const raceFactor = 5
