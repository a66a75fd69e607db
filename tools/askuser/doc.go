// Package askuser is the MCP side of asking: it reads the call forms in which
// agents write a question, runs the life of one call (ask, show, wait, hand
// out a ticket), and writes the result as text and as structured content. The
// tools' schemas and the texts for the model live here too.
//
// It may import ui, desk and question and mcp-go's types. It must not know
// how bytes reach the client (server) nor how a terminal works (ui/tty).
package askuser
