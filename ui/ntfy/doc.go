// Package ntfy puts a question on the user's phone through an ntfy server, and
// takes the answer back the same way: a button of the notification publishes to
// a second topic, which we subscribe to. No machine of the user need be reachable.
//
// A test (test.go) shows the user that a press arrives, without a question.
//
// It imports desk, question and ui/words. It follows the API of ntfy 2.16
// (publishing as JSON, action buttons, subscribing as JSON, clearing by sequence
// id) and knows no other surface.
//
// The rules:
//
//   - The server stores what the user has chosen to send, and nothing more.
//   - A notification has buttons only if it shows all that the answer depends on.
//   - A button carries no access token: ours is in no notification, and everyone may write
//     to the second topic.
//   - A button's token names a question, all that it shows and an option, and is
//     signed with a key of the user's own: a reader of the topic can press what the
//     user can press, and nothing else. A token counts once, and only while the
//     question is open: the desk decides.
//   - An answer on its way is not lost with the process that asked: the next process
//     that listens takes it, as long as the server keeps it.
//   - No failure here fails a question; failures are logged.
package ntfy
