// Package form is the full-screen terminal form: a Bubble Tea model that shows
// one record and takes the user's reply. It has no terminal of its own; a
// host runs it in a program (ui/tty) or inside a larger model (the inbox).
//
// What is answered, and which question is current, is in the question set (ui/answer). The form
// draws its current question, and translates keys into its methods. What a [page] has beside the
// question is a value. Its list is a huh Select, and its text field (term.Entry) a bubbles text
// area, of which there is one at a time; keys.go has all its keys. huh's form, its pages and its
// program are not used: it turns pages by messages, which a second Enter can overtake, and reports
// its first option as the choice of a user who chose none.
//
// It may import question, desk, ui, ui/answer, ui/view, ui/words and ui/term. It must
// not know where it is drawn, how records are stored, or any other surface.
//
// The rules of this user interface:
//   - Only Enter makes an answer, and the form says "sent" only after commit has
//     returned nil.
//   - Enter alone answers nothing, in any form: it says which keys answer until the user has
//     moved to a row, named or marked one, or typed. The cursor is on the first row, or the
//     declared default, but on no yes.
//   - No letter opens anything: it may begin a word.
//   - Dismissing and discussing first ask once more, on a page of their own. The text
//     that is typed there belongs to no answer.
//   - Each question has a page. A review follows where more than one question is answered,
//     or a note goes to all answers.
//   - Typed text is kept: going back, choosing differently, a failed send or an Esc by
//     mistake discard nothing.
//   - An earlier answer is marked only at a key that no sentence contains.
//   - A draft is no answer: its pages show it, to be confirmed and reviewed.
//   - Nothing on the screen moves by itself but the last seconds of a deadline.
//   - Colour alone says nothing. The line with the cursor is always in view. Tab shows
//     what does not fit.
//   - Every text of the record passes question.Line or question.Block.
package form
