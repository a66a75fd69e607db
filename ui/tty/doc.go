// Package tty shows questions on the controlling terminal: it opens the terminal, checks
// that it is free, holds it for the full-screen form or the plain line form until the
// human has replied, and leaves it as it was found.
//
// It imports ui, ui/form, ui/dialogue, ui/term, ui/view, ui/words, desk and question. It must
// not know how replies are stored, or any other surface. The caller of Show handles signals
// and ends the context.
//
// With a desk a form saves drafts, and shows the deadline and the earlier rounds.
//
// The rules of the plain form:
//
//   - Lines in, lines out: no colour, no escape codes, no cursor movement but back
//     over a character that was typed, so that a screen reader or a teletype shows
//     it as well as a terminal does.
//   - A line is an act, and passes through ui/term/act. It is read as single keys, and
//     edited and echoed here: in canonical mode the kernel delivers whole lines, and a
//     paste looks like a typed one. Keys before the first pause are discarded, unseen.
//   - A line that arrives in one piece with its line break was pasted: the prompt shows
//     it again, and Enter takes it.
//   - Every prompt names in brackets the answer that an empty line takes: the answer so
//     far, or a declared default. Without brackets an empty line answers nothing; nor does
//     it in a form that appeared by itself, to a question for which nothing was entered
//     there: "=" takes the proposal.
//   - A line that is no answer gets one sentence and the same prompt again. Nothing is
//     guessed.
//   - The end of input is the end, never an answer.
//   - While the terminal is too small to read, keys are discarded, the end of input included.
package tty
