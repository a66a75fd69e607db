// Package tty shows questions on the controlling terminal: it finds the
// terminal, judges whether it is free, and holds it for the
// full-screen form or the plain line form until the human has replied, leaving
// it as it was found.
//
// It imports ui, ui/form, ui/term, ui/words, desk and question. It must not
// know who asked, how replies are stored, or any other surface. Signals are the
// process's business: whoever calls Show turns them into the end of the
// context.
//
// With a desk a form keeps what is being typed, offers it again, and shows the
// deadline and the earlier rounds; without one it does without.
//
// The rules of the plain form:
//
//   - Lines in, lines out: no cursor movement, no colour, no escape codes, so
//     that a screen reader or a teletype shows it as well as a terminal does.
//   - A line is an act, and goes through ui/term/act. What is typed before the
//     first pause goes nowhere: it is read as single keys, unechoed, since in
//     canonical mode a line that is not finished cannot be seen.
//   - Every prompt says what an empty line means, in brackets: what the human
//     answered before, or a default that the asker declared. Where nothing stands
//     in brackets an empty line answers nothing.
//   - What cannot be read as an answer gets one sentence and the same prompt
//     again. Nothing is guessed.
//   - The end of input is the end, never an answer.
package tty
