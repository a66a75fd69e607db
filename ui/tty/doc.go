// Package tty shows questions on the controlling terminal: it opens the terminal, checks
// that it is free, holds it for the full-screen form or the plain line form until the
// user has replied, and leaves it as it was found.
//
// It imports ui, ui/form, ui/answer, ui/term, ui/view, ui/words, desk and question. It must
// not know how replies are stored, or any other surface. The caller of Show handles signals
// and ends the context.
//
// With a desk a form saves drafts, and shows the deadline and the earlier rounds.
//
// The rules of the line form:
//
//   - Lines in, lines out: no colour, no escape codes, no cursor movement, so that a screen
//     reader or a teletype shows it as well as a terminal does. The terminal itself echoes
//     and edits each line.
//   - Input is read only at a prompt. What is typed before it, the rest of a paste included,
//     is discarded and not shown. The first prompt of a form that appeared by itself waits
//     for a pause in the typing.
//   - The line that answers sends nothing. The review comes last, also for one question, and
//     an empty line sends, unless more input follows at once.
//   - Every prompt names in brackets the answer that an empty line takes: the answer so
//     far, or a declared default. Without brackets an empty line answers nothing. In a form
//     that appeared by itself it never does: "=" takes what is proposed.
//   - A line that is no answer gets one sentence and the same prompt again. Nothing is
//     guessed. In a form that appeared by itself the next prompt waits for a pause, and the
//     review goes back to the last question.
//   - The end of input is the end, never an answer.
//   - While the terminal is too small to read, input is discarded, the end of input included.
package tty
