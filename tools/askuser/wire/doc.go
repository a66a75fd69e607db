// Package wire is what agents and programs write to the tools and read from
// them: the call forms, the results as text and as structured content, the
// formats of the shell commands, and the published schemas.
//
// It may import desk, question, ui/words and the texts for the model. It must
// not know mcp-go, any transport, nor the life of a call.
package wire
