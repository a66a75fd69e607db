// Package tty shows questions on the controlling terminal: it finds the
// terminal, judges whether it is free, and holds it for the
// full-screen form or the plain line form until the human has replied, leaving
// it as it was found.
//
// It imports ui, ui/form, ui/term, ui/words, desk and question. It must not
// know who asked, how replies are stored, or any other surface. Signals are the
// process's business: the caller of Show turns them into the end of the
// context.
//
// With a desk a form keeps what is being typed, offers it again, and shows the
// deadline and the earlier rounds; without one it does without.
//
// The rules of the plain form:
//
//   - Lines in, lines out: no colour, no escape codes, no cursor movement but back
//     over a character that was typed, so that a screen reader or a teletype shows
//     it as well as a terminal does.
//   - A line is an act, and passes through ui/term/act. It is read as single keys, and
//     edited and shown here: in canonical mode the kernel hands over whole lines, which
//     does not tell a paste. What is typed before the first pause is discarded, unseen.
//   - A line that arrives in one piece with its line break was pasted: the prompt shows
//     it again, and Enter takes it.
//   - Every prompt says what an empty line means, in brackets: what the human
//     answered before, or a default that the asker declared. Where nothing stands
//     in brackets an empty line answers nothing; nor does it in a form that appeared by
//     itself, to a question for which nothing was entered there: "=" takes what is
//     proposed.
//   - What cannot be read as an answer gets one sentence and the same prompt
//     again. Nothing is guessed.
//   - The end of input is the end, never an answer.
package tty
