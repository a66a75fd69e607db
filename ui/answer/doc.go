// Package answer holds a question set that is being answered, without any drawing. Every
// surface draws a [Set] and turns its input into calls of its methods.
//
// Its one rule: the state of the answers has one owner. A surface keeps what only it has (its
// cursor, its scroll, the buffer of a text field) and no second copy of marks, texts, notes,
// confirmations or of the current question. How a type of question is answered is known here:
// a surface asks a [Choice] for its kind.
//
// A Set starts no goroutine, does no I/O and reads no clock but the one in [Options]. It is not
// safe for concurrent use. Texts are as they arrived from the record and the user; a surface
// passes them through question.Line or question.Block before it draws them.
//
// Only confirmed answers are sent: a question is confirmed by [Set.Next], and is settled while
// it holds what was confirmed. A follow-up is shown once an answer calls for it.
//
// It imports question, and desk for records and memories. It must not know any surface, how
// records are stored, or how a text is worded.
package answer
