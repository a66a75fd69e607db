//go:build !linux

package spool

func makeEmpty(path string) error { return openEmpty(path) }
