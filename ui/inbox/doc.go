// Package inbox is the terminal inbox: one full screen with everything that
// waits for the human, from all agents, and what was decided before. Its
// questions are answered in the form of ui/form.
//
// It may import question, desk, ui/words, ui/term and ui/form. It must not know any surface,
// how records are stored, or what else announces a question.
//
// The rules of this user interface:
//   - Nothing moves under the human's fingers: a new question never moves the
//     selection or the line it is on, a question that ends elsewhere stays
//     until the cursor leaves it, and where a form is taken away a notice takes
//     its place that no key meant for the form can leave. Rows that change their
//     place move around the selected one.
//   - What takes text at a key waits for quiet first (ui/term/act), and a letter
//     that is no key begins a filter only where the human has shown to be here. After
//     an answer only what acts waits; what moves about or looks works at once.
//   - A form that Enter alone opened, on a question to which the human has not gone, has
//     nothing preselected.
//   - A click selects and opens; it answers nothing.
//   - What is shown is what the desk says; nothing is asked of it in turns.
//     Where the desk cannot tell (a process that died), the inbox looks again
//     when the human does: when the terminal gets the focus.
//   - Colour alone says nothing.
//   - Every text from outside passes question.Line or question.Block.
package inbox
