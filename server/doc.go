// Package server is the MCP server: the registration of the tools, and the parts
// that all transports share. Each transport is a package below this one. It decodes
// the client's messages ([Decode]), passes them to the client's [Session], and writes
// the messages that the session puts into its [Sink].
//
// mcp-go's own transports stall, lose cancels, answer cancelled requests and
// let progress overtake responses once several questions wait for a user.
// mcp-go still does all of the protocol: MCPServer.HandleMessage handles every
// request. It serves both eras, the handshake up to 2025-11-25 and the stateless one
// of 2026-07-28.
//
// A message that the server sends belongs to a request of the client, and is sent to the
// sink of that request: progress, forms, their withdrawal and, last, the response.
// Over HTTP each request has a stream of its own; standard output is one for all.
//
// The package may import tools/askuser and what lies below. It knows no
// terminal, no signals, no process, no streams and no HTTP.
package server
