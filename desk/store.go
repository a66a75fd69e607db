package desk

import "context"

// Store keeps the files of the desk. The embedded one is desk/spool; a
// distributed engine may take its place. Kinds are "pending" and "replies"
// and "archive"; ids are safe file names.
type Store interface {
}

var _ context.Context
