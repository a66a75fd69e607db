// Package form is the full-screen terminal form: a Bubble Tea model that shows
// one record and takes the human's reply. It has no terminal of its own; a
// host runs it in a program (ui/tty) or inside a larger model (the inbox).
//
// What is answered, and where the human is, is in the dialogue (ui/dialogue). The form
// draws its current step, and translates keys into its acts. Each page is a huh form with
// one field: [page], which is a list of options, a text entry of huh's, or the review. huh
// hands it the keys that the gate of ui/term/act lets through, and draws it in our layout,
// with our theme. Its pages, values, end and program are not used: it turns pages by
// messages, which a second Enter can overtake, and ended from outside it reports its
// first option as if the human had chosen it.
//
// It may import question, desk, ui, ui/dialogue, ui/words and ui/term. It must not know where
// it is drawn, how records are stored, or any other surface.
//
// The rules of this user interface:
//   - Nothing is an answer until the human pressed Enter on it, and nothing is
//     said to be sent until commit returned nil.
//   - Nothing is preselected in a form that appeared by itself, on any page: Enter says
//     which keys answer until the human has moved to something there, named it or
//     typed. In one that they opened the cursor is on the first row, but on no yes.
//   - Dismissing and discussing first are asked for once more, on a page of
//     their own. The text that is typed there belongs to no answer.
//   - One question a page, then a review wherever there is more to overlook
//     than one pick.
//   - What was typed stays typed: going back, choosing differently, a failed
//     send or a half-meant Esc throw nothing away.
//   - What was answered before is marked at a key that no sentence has, and never
//     by itself.
//   - A draft is no answer: its pages show it, to be confirmed and
//     reviewed like anything else.
//   - Nothing on the screen moves by itself but the last seconds of a deadline.
//   - Colour alone says nothing; the line with the cursor is always in
//     view; what does not fit can be read with Tab.
//   - Every text of the record passes question.Line or question.Block.
package form
