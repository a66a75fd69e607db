// Package install registers this program with the clients that start it, brings their own
// questions here, and takes all of that out again. A client is one row of [Clients]; one
// file of a client's is one [Change]. JSON is changed by hujson, TOML has one table of ours,
// and YAML is left to the user, who gets the lines to paste.
//
// It imports mirror for the names of events, runs no program and prints nothing.
package install
