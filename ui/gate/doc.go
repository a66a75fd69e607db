// Package gate tells a deliberate act from keys that only happened to arrive: typed for
// another program, held down, pasted, sent by a script before a user could have read the
// question. Every full-screen surface passes its keys through one [Gate]. The line form
// takes its times from here.
//
// It imports Bubble Tea for the messages and nothing of this project.
// It draws nothing, reads no terminal, and uses the clock that it gets.
//
// The rules:
//
//   - Unseen is unanswered. Before [Gate.Show], and while [Gate.Seen] is
//     false, no key counts.
//   - Quiet first. What appeared by itself awaits quiet: until no key has arrived for
//     [Quiet], each key is discarded and restarts that time. What appears after an answer
//     was sent appeared by itself. What the user opened takes keys at once.
//   - A run is a sequence of keys with less than Quiet between any two.
//   - Stray keys. In what appeared by itself, a key without meaning there shows that the
//     user types to another program: what its run has changed is taken back, and
//     it awaits quiet again.
//   - An act settles. What sends or takes is held for [Settle] and counts when no
//     further key arrives meanwhile, and the same key did not arrive within [Again]
//     before it. A key during that time is discarded together with the held act, and quiet
//     is awaited again, also in what the user opened: what follows was typed without a
//     look at what the act would have led to ("enter 2 enter" means the next page's 2).
//   - All other keys count at once. Keys that move about in a list or look need no quiet
//     before them and do not restart the time.
//   - A paste is text where there is text to type, and a stray key elsewhere, also
//     one that its program does not mark. It is never an act.
//   - Only a look at the clock, [Tick], ends a silence, never the next
//     key. A look that is [Late] is repeated once: a process that was too busy to look was
//     too busy to read keys.
//
// What these rules cannot tell apart, since the keys are the same:
//
//   - The user stops typing for longer than Quiet, the question appears in that
//     pause, and all further keys have a meaning there: "y" and Enter (in lines
//     in Portuguese "s" and Enter, the end of "ls"), "12" and Enter, an arrow and
//     Enter, any words where there is text to type. Hence no focus for a pane before
//     two quiet seconds.
//   - On a page that an Enter led to and that Enter takes, a review or one in what the
//     user opened, an Enter that was held for exactly one repeat. Terminals that mark
//     repeats tell.
//   - Key repeat slower than one in Settle, and keys that the network delivers
//     more than Settle apart.
//
// The duties of a surface:
//
//   - Nothing is preselected in what appeared by itself: Enter alone takes nothing,
//     on any page, before the user has moved to something there, named it or typed.
//     The surface says which keys answer.
//   - A letter or digit should mark, and Enter take. People type at up to 200 ms a
//     key, so a letter that takes has settled before the next one shows that it began
//     a word.
package gate
