// Package mirror accompanies the dialogs in which hosts show questions of their
// own. A host's program runs the command hook for an event; the question
// that it is about to show, or has just shown, is put on the desk, and what the
// human replies there is printed for the host. The first answer counts, in the
// dialog or on any surface.
//
// The host comes first. It is never blocked, delayed or confused: what is not
// known here, cannot be mapped one to one, or cannot be stored at once is left
// alone without a word, and nothing is printed that was not checked. Where the
// two meet, the host decides which answer counts.
//
// One file a host holds how its events are read and answers to it are written;
// mirror.go is the life of a mirrored question. The package imports desk,
// question, ui/words and the texts for the model. It must not know any surface,
// form, page, schema or protocol library: every question of a host starts a
// process of it, which must be up in milliseconds and small while it waits.
package mirror
