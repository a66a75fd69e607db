// Package api is what programs read, whichever door they come through: the
// events of the desk, a record, and what went wrong. The HTTP API, the commands and
// the user's own notification command all write these shapes, and no others.
//
// It imports desk, question and ui/view. It must not know HTTP, standard
// output, nor any surface.
package api
