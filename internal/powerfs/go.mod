// This module is the file system on which tests cut the power. It is a module of
// its own so that the program's go.mod knows no FUSE.
module mcp-askuser/internal/powerfs

go 1.26.0

require github.com/hanwen/go-fuse/v2 v2.12.1

require golang.org/x/sys v0.28.0 // indirect
