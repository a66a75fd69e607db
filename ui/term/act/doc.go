// Package act tells a deliberate act from keys that only happened to arrive:
// typed for another program, held down, pasted, sent by a script before anybody
// could have read the question. Every surface that has keys puts them through one
// [Machine], in full screen by way of a [Gate], in lines by way of [ReadLine]. A
// [Pointer] is the same for clicks.
//
// It imports Bubble Tea for the Gate's messages and nothing of this project.
// It draws nothing, reads no terminal, and runs on the clock it is handed.
//
// The rules:
//
//   - Unseen is unanswered. Before [Machine.Show], and while [Machine.Seen] is
//     false, no key counts.
//   - Quiet first. What appeared by itself is deaf until no key has come for
//     [Quiet]; each key starts that time anew and is thrown away. What appears
//     after an answer was sent appeared by itself. What the human opened
//     listens at once.
//   - A burst is a run of keys with less than Quiet between any two.
//   - Foreign keys. In what appeared by itself, a key that means nothing there
//     shows that the human types to someone else: what its burst has changed is
//     put back, and it is deaf again.
//   - An act settles. What sends or takes is held for [Settle] and counts when no
//     further key comes meanwhile, and the same key did not come within [Again]
//     before it. The key that overtakes a held act is thrown away with it, and it
//     is deaf again, whoever opened it: what follows was typed without a look at
//     what the act would have led to ("enter 2 enter" means the next page's 2).
//   - All other keys count at once. What moves about in a list or looks, and a letter
//     that quits, needs no quiet before it and starts none anew; the letter waits for
//     [Word], since it may begin one.
//   - A paste is text where there is text to type, and a foreign key elsewhere, also
//     one that its program does not mark. It is never an act.
//   - A line is an act, whose key is the Enter that ends it. One that comes in one
//     piece with that, or within [Piece] of it, is a paste.
//   - Only a look at the clock, [Machine.Tick], ends a silence, never the next
//     key. A look that comes [Late] is repeated once: whoever was too busy to
//     look was too busy to read keys.
//
// What these rules cannot tell apart, since the keys are the same:
//
//   - Somebody stops typing for longer than Quiet, the question appears in that
//     pause, and all that still comes has a meaning there: "y" and Enter (in lines
//     in Portuguese "s" and Enter, the end of "ls"), "12" and Enter, an arrow and
//     Enter, any words where there is text to type. Hence no focus for a pane before
//     two quiet seconds.
//   - On a page that an Enter led to and that Enter takes, a review or one in what the
//     human opened, an Enter that was held for exactly one repeat. Terminals that mark
//     repeats tell.
//   - Key repeat slower than one in Settle, and keys that the network delivers
//     more than Settle apart.
//
// What a surface owes:
//
//   - Nothing is preselected in what appeared by itself: Enter alone takes nothing,
//     on any page, before the human has moved to something there, named it or typed.
//     It says which keys answer.
//   - A letter or digit should mark, and Enter take. People type at up to 200 ms a
//     key, so a letter that takes has settled before the next one shows that it began
//     a word.
package act
