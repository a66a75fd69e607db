// Package inbox is the terminal inbox: one full screen with all questions that wait
// for the user, from all agents, and those that were decided before. Questions are
// answered in the form of ui/form.
//
// It may import question, desk, ui/answer, ui/view, ui/words, ui/term and ui/form. It must
// not know any surface, how records are stored, or what else announces a question.
//
// The rules of this user interface:
//   - Enter opens the question that the user saw. A new question does not move the
//     selection. Where the selected question ends elsewhere, a note says so, and Enter waits
//     for a pause. A form that is taken away leaves a notice, which no key meant for the
//     form can close.
//   - A question has one form: the keys that dismiss, discuss or note open it too, and it
//     gets what is typed before it is open. After an answer only acts wait; keys that move
//     or look work at once.
//   - The desk's events are shown; the desk is not polled. An asker that died causes no
//     event: the inbox reads the desk again when the terminal gets the focus.
//   - Colour alone says nothing.
//   - Every text from outside passes question.Line or question.Block.
package inbox
