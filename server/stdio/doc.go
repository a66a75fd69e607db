// Package stdio serves MCP over a pair of streams, one JSON-RPC message a
// line.
//
// It may import server and what lies below. It knows no signals and no
// process: streams, logger and context are handed in.
package stdio
