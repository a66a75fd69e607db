//go:build !unix

package local

import "os"

// The profile of a user is protected by the system.

func ownedByUser(os.FileInfo) bool  { return true }
func openToOthers(os.FileInfo) bool { return false }
