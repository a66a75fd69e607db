// Package term is what the terminal rooms (ui/form, ui/inbox, ui/tty) share:
// the window of a full-screen model, styles, wrapping, blocks of lines and the
// panel around them, hints, text entry, the user's editor, a reader for long texts, the
// drawing of a record, and running a full-screen model on a terminal ([Screen]).
//
// It may import question, desk, ui/view, ui/words and ui/gate. It must not know any of
// the rooms that use it, nor any other surface.
//
// The rules that hold on every terminal:
//   - Every text from outside passes question.Line, question.Block or
//     ui/words; nothing else reaches the screen.
//   - Colour alone says nothing.
//   - What does not fit can be scrolled, and has marks at the right edge.
package term
