// Package install registers this program with the clients that start it, and
// takes it out again: where each keeps its servers, and our entry there. A
// client is one row of [Clients]; how a file is changed is edit's to know.
//
// It imports edit and ui/words and nothing else of ours, runs no program and
// prints nothing.
package install
