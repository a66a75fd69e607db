// Package http serves MCP over streamable HTTP at /mcp, in both eras: up to
// 2025-11-25 a handshake opens a session with an id, of 2026-07-28 every request
// is independent.
//
// A request's own response carries what belongs to it: an event stream, or
// JSON where the result is there at once. The headers of a call that waits are sent
// after 200 ms, and a heartbeat every 15 seconds, so that no proxy takes the connection
// for dead. The goroutine of the request writes them.
//
// Name, origin and token of a request are checked before its body is read. A
// session, and every question asked in it, belongs to the token that opened it. A call
// of a removed token ends with the next heartbeat, and sends nothing before. Over HTTP the
// end of a connection is no cancel that would withdraw a question: the answer is kept.
//
// The package may import server, server/tokens, internal/door and what lies
// below. It knows no terminal and no process: listener, logger and context are
// handed in.
package http
