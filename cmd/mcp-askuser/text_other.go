//go:build !linux

package main

func leaveText() {}
