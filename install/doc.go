// Package install registers this program with the clients that start it, and undoes
// that: where each has its list of servers, and our entry in it. A client is one row of
// [Clients]; package edit changes the files. obstacles.go has the settings under which a
// client does not use the server.
//
// It imports edit and ui/words, runs no program and prints nothing.
package install
