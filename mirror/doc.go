// Package mirror puts the questions that hosts ask in dialogs of their own on the
// desk, too. A host runs the command hook for an event; hook submits the question
// and prints the user's reply for the host. The first answer counts, in the dialog
// or on any surface.
//
// The rules:
//
//   - The host is never blocked, delayed or confused. A question that is unknown
//     here, cannot be mapped one to one, or cannot be stored at once is ignored
//     silently, and nothing unchecked is printed.
//   - Where two answers meet, the host decides which counts.
//
// Each host has a file, which reads its events and writes answers to it; mirror.go
// is the life of a mirrored question. The package imports desk, question, ui/words
// and the texts for the model. It must not import a surface, form, page, schema or
// protocol library: every question of a host starts a process, which must start in
// milliseconds and stay small while it waits.
package mirror
