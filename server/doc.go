// Package server is the MCP server: the registration of the tools, and what
// every transport shares. A transport has a package of its own below this one;
// it decodes what the client sends ([Decode]), hands it to the client's
// [Session], and writes what the session puts into its [Outbox].
//
// mcp-go's own transports stall, lose cancels, answer cancelled requests and
// let progress overtake responses once several questions wait for a human.
// mcp-go still does all of the protocol: every request goes through
// MCPServer.HandleMessage, which serves both eras, the handshake up to
// 2025-11-25 and the stateless one of 2026-07-28.
//
// Whatever the server sends belongs to a request of the client's and goes into
// the outbox that came with it: its progress, the forms that it puts to the
// client, their withdrawal and, last, its response. Over HTTP that is one
// stream for each request, over standard output one for all.
//
// The package may import tools/askuser and what lies below. It knows no
// terminal, no signals, no process, no streams and no HTTP.
package server
