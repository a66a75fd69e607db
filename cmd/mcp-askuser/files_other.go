//go:build !unix

package main

import "os"

// faults are the signals that report a fault: other processes send none.
var faults []os.Signal

func dump(os.Signal) {}

func openFiles() uint64 { return 0 }
