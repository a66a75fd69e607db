// Package dialogue is a question set that is being answered, without any drawing.
// Every face (form, lines, client's form, page) draws a [Dialogue] and translates its
// input into acts.
//
// Its one rule: the state of the answers has one home. A face keeps what only it
// has (its cursor, its scroll, the buffer of a text field) and no second copy of
// marks, texts, notes, confirmations or of which question is due. How a type of
// question is answered is known here; a face asks a [Row] for its kind.
//
// A Dialogue is a plain value: it starts no goroutine, does no I/O and reads no
// clock but the one in [Options]. It is not safe for concurrent use. Texts are as
// they came from the record and from the user; a face passes them through
// question.Line or question.Block before it draws them.
//
// A typical face:
//
//	d := dialogue.New(rec, dialogue.Options{Draft: draft, Memory: earlier})
//	for {
//		draw(d.Current())                  // nil is the review
//		change, err := d.Act(translate(input))
//		switch {
//		case err != nil:                   // a fault to show; nothing was taken
//		case change.Ready:                 // everything is confirmed
//			reply, err := d.Reply()
//			…
//		}
//	}
//
// Terms:
//
//   - A step is a question that the user is asked: neither one whose answer the
//     asker has, nor a follow-up that no answer brings up.
//   - A step is confirmed by [Next]. It is settled while it holds what was
//     confirmed. Only confirmed answers are sent.
//   - Proposed is an answer that the user has not entered in this dialogue: a
//     declared default, an earlier answer to the same question, a draft.
//
// It imports question, and desk for records, memories and their outcomes. It must
// not know any face, how records are stored, or how a text is worded.
package dialogue
