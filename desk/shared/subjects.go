package shared

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"mcp-askuser/desk/store"
)

// The subjects. The root is the one that the server lets no client name for replies: with
// another, a client could have the server write its answers over documents.
//
//	_R_.ask.r.<owner>.<id>.q.<session>.<run>.<content>.<earlier>  what is asked
//	_R_.ask.r.<owner>.<id>.a.<writer>                       how it ended; the first one counts
//	_R_.ask.r.<owner>.<id>.n.<note>                         a note
//	_R_.ask.r.<owner>.<id>.h                                the process that waits for it
//	_R_.ask.r.<owner>.<id>.d                                that it was delivered
//	_R_.ask.humans                                          the operator's list of humans
//	rang.>                                                  all of these, once they are stored
//	alive.<writer>.<process>                                answered by a process that waits
//	present.<writer>                                        answered by open inboxes and pages
//	back.<writer>.>                                         its answers
//
// A session and the like are hashes. The owner and the writer are names of credentials.
const (
	root          = "_R_.ask."
	rowsRoot      = root + "r."
	humansSubject = root + "humans"
	bellRoot      = "rang."
	aliveRoot     = "alive."
	presentRoot   = "present."
	backRoot      = "back."
)

// nameless is the name of a credential without one: the operator's, or that of a server
// without rules.
const nameless = "-"

// humanPrefix begins the name of a human's credential, and no agent's.
const humanPrefix = "human-"

// human is the name of the human that a writer is; empty for another.
func human(writer string) string {
	name, is := strings.CutPrefix(writer, humanPrefix)
	if !is {
		return ""
	}
	return name
}

// short is a part of a subject for a text.
func short(text string) string {
	if text == "" {
		return "-"
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// noted is in place of the content of a row that was stored as it had ended: no list of what is open
// reads it.
const noted = "noted"

// questionSubject is where a row is asked.
func questionSubject(owner string, row *store.Row) string {
	content := short(row.Content)
	if row.Outcome != nil {
		content = noted
	}
	hashes := short(row.Session) + "." + short(row.Run) + "." + content + "." + short(row.Earlier)
	return rowsRoot + owner + "." + row.ID + ".q." + hashes
}

// isToken reports whether a text is one part of a subject, and no pattern.
func isToken(text string) bool {
	return text != "" && !strings.ContainsAny(text, ".*> \t\r\n")
}

// document is a subject of a row.
type document struct {
	owner, id, kind string
	rest            []string
}

// parse reads a subject of a row. It is false for another.
func parse(subject string) (d document, ok bool) {
	tail, ok := strings.CutPrefix(subject, rowsRoot)
	parts := strings.Split(tail, ".")
	if !ok || len(parts) < 3 {
		return d, false
	}
	return document{parts[0], parts[1], parts[2], parts[3:]}, true
}

// Rights are the subjects that a credential may publish to and subscribe to, an agent's, or a
// human's, whose name in subjects begins with "human-". The operator may do all.
//
// An agent may not make consumers: it could have the server deliver documents under subjects
// that it must not write to. None may read with $JS.API.DIRECT.GET: the server sends the stored
// bytes to a subject that the reader names, which may be a request to change a stream. A
// process answers on back.>, never where a sender names another subject.
func Rights(name string, human bool) (publish, subscribe []string) {
	writer, of := name, name // of: those whose rows it may end, and that see its inboxes
	if human {
		writer, of = humanPrefix+name, "*"
	}
	row := rowsRoot + of + ".*."
	publish = []string{
		rowsRoot + writer + ".*.q.*.*.*.*", row + "a." + writer, row + "h", row + "d",
		row + "n." + store.Shown.String(), row + "n." + store.Later.String(),
		aliveRoot + "*.*", presentRoot + writer, backRoot + ">", "$JS.API.STREAM.MSG.GET.ASK", "$JS.API.STREAM.INFO.ASK",
		"$SYS.REQ.USER.INFO",
	}
	if human {
		publish = append(publish, row+"n."+store.Draft.String(), row+"n."+store.Lifted.String(),
			"$JS.API.CONSUMER.CREATE.ASK.*")
	}
	return publish, []string{
		bellRoot + ">", "who.*", aliveRoot + writer + ".*", presentRoot + of, backRoot + writer + ".>",
		"_INBOX." + writer + ".>",
	}
}
