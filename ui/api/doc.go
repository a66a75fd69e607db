// Package api is what programs read, over HTTP, from commands and from the user's
// notification command: events, records and problems. All of them write these types.
//
// It imports desk, question and ui/view. It must not know HTTP, standard
// output, nor any surface.
package api
