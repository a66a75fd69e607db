//go:build !unix

package main

import (
	"context"
	"os"
)

// faults are the signals that report a fault: other processes send none.
var faults []os.Signal

func dump(os.Signal) {}

// untilUnread returns ctx: the system does not report that a reader has exited.
func untilUnread(ctx context.Context, _ *os.File) context.Context { return ctx }
