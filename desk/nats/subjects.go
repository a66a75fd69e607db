package nats

import (
	"strings"

	"mcp-askuser/desk"
)

// Every subject names the owner of a document, whose record it belongs to, and
// last its writer, as the server knows them from their credential:
//
//	_R_.ask.pending.<owner>.<id>.<writer>           the set and its asker
//	_R_.ask.end.<owner>.<id>.<role>.<writer>        the outcome, or that it was collected
//	_R_.ask.drafts|showing.<owner>.<id>.<writer>    the last one wins, for a day
//	_R_.ask.askers|present.<owner>.<name>.<writer>  locks
//	_R_.ask.mark.<owner>.<mark>.<name>.<writer>     the ids in an index
//	_R_.ask.keys.-.rules.-                          the operator's rules: humans' keys, policy
//	_R_.ask.keys.<human>.trusted.<human>            a human's passkeys
//	_R_.file.part.<owner>.<digest>.<type>.<n>.<id>.<writer>  a part of a file of an answer
//	_R_.past.docs.<owner>.<month>.<id>.<writer>     record and outcome
//	_R_.past.months.<owner>.<month>.<writer>        there is something in this month
//
// An agent writes what it owns. A human writes for any owner, in a name that
// begins with "human-". A document has one place, all its writers' subjects, in
// which the last message counts.
//
// The root is the one that the server lets no client name for replies. With any
// other a client could have the server write its answers, to requests that the
// client may make, over documents that the client may not touch.
const root = "_R_."

// The streams' subjects begin with these, after the root.
const (
	areaAsk  = "ask"
	areaPast = "past"
)

// Kinds in subjects that are none of desk's.
const (
	kindEnd    = "end"
	kindKeys   = "keys"
	kindMark   = "mark"
	kindDocs   = "docs"
	kindMonths = "months"
)

// The roles in the subjects of outcomes.
const (
	asHuman   = string(desk.RoleHuman)
	asAsker   = string(desk.RoleAsker)
	collected = "collected"
)

// nameless is the name of a credential that has none: on a server without rules,
// or the operator's.
const nameless = "-"

// humanPrefix begins the name of a human as owner or writer. No agent has a name
// like this.
const humanPrefix = "human-"

func isHuman(name string) bool { return strings.HasPrefix(name, humanPrefix) }

// place is where a document is.
type place struct {
	area, kind, owner string
	name              string // an id, or the name of a lock; after a dot where a mark or a month is before it
}

func (p place) prefix() string {
	return root + p.area + "." + p.kind + "." + p.owner + "." + p.name + "."
}

// filter matches what any writer has put there.
func (p place) filter() string { return p.prefix() + ">" }

// by is the subject of a writer there.
func (p place) by(writer string) string { return p.prefix() + writer }

// stream is the stream with that place.
func (p place) stream() string {
	switch p.area {
	case areaPast:
		return StreamPast
	case areaFile:
		return StreamFiles
	}
	return StreamDesk
}

// record is the id of the record that a document belongs to; empty for none.
func (p place) record() string {
	id := p.name[strings.LastIndexByte(p.name, '.')+1:]
	if p.kind == string(desk.KindAskers) {
		id = desk.RecordOf(id)
	}
	if p.kind == kindMark || !desk.ValidID(id) {
		return ""
	}
	return id
}

// allOf matches all documents of a kind, of all owners and writers.
func allOf(area, kind string) string { return root + area + "." + kind + ".>" }

// writer is the credential that wrote a document.
type writer struct {
	name string
	role string // of an outcome
}

// endBy is the last of the subject of an outcome.
func endBy(role, name string) string {
	if role == asHuman {
		name = strings.TrimPrefix(name, humanPrefix)
	}
	return role + "." + name
}

// author is a writer of an outcome, as desks know it.
func (w writer) author() desk.Author {
	name := strings.TrimPrefix(w.name, humanPrefix)
	if name == nameless {
		name = ""
	}
	return desk.Author{Role: desk.Role(w.role), Name: name}
}

// parse reads a subject. It is false for one that is none of ours, and for one
// whose writer does not write there: under an id that another owns, for another
// agent, in the role of another.
func parse(subject string) (p place, w writer, ok bool) {
	parts := strings.Split(subject, ".")
	tail := 1
	if len(parts) > 3 && parts[2] == kindEnd {
		tail = 2
	}
	if len(parts) < 5+tail || parts[0]+"." != root {
		return p, w, false
	}
	p = place{parts[1], parts[2], parts[3], strings.Join(parts[4:len(parts)-tail], ".")}
	w.name = parts[len(parts)-1]
	if tail == 2 {
		if w.role = parts[len(parts)-2]; w.role == asHuman && w.name != nameless {
			w.name = humanPrefix + w.name
		}
	}
	own := w.name == p.owner
	switch {
	case w.role == asAsker:
		ok = own
	case w.role == asHuman, p.kind == kindMark && strings.HasPrefix(p.name, string(desk.MarkLifted)+"."):
		ok = isHuman(w.name) || own && w.name == nameless
	case p.kind == kindKeys:
		ok = own && (isHuman(w.name) || w.name == nameless)
	default:
		ok = own || isHuman(w.name)
	}
	id := p.record()
	return p, w, ok && (id == "" || desk.OwnedBy(id, p.owner))
}

// Rights are the subjects that a credential may publish to and subscribe to. The
// operator may do all.
//
// No other may publish to the subject for replies of a message: its sender names that.
// Answers to other credentials go to back.<name>. An agent may not make consumers: with
// one it could have the server deliver documents under subjects that the agent must not
// write to. Only the operator may read with $JS.API.DIRECT.GET: the server sends
// the bytes as they were stored to the subject that the reader names, which may be a
// request to change a stream.
func Rights(name string, operator bool) (publish, subscribe []string) {
	if operator {
		return []string{">"}, []string{">"}
	}
	owner, own := name, "."+name
	if isHuman(name) {
		owner = "*"
	}
	for _, kind := range []desk.Kind{desk.KindPending, desk.KindAskers, desk.KindPresent, desk.KindShowing} {
		publish = append(publish, root+"ask."+string(kind)+"."+owner+".*"+own)
	}
	for _, mark := range []desk.Mark{desk.MarkContent, desk.MarkSessions, desk.MarkReopened, desk.MarkAnswered} {
		publish = append(publish, root+"ask.mark."+owner+"."+string(mark)+".*"+own)
	}
	publish = append(publish,
		root+"ask.end."+name+".*."+endBy(asAsker, name), root+"ask.end."+owner+".*."+endBy(collected, name),
		root+"past.docs."+owner+".*.*"+own, root+"past.months."+owner+".*"+own, root+"file.part."+owner+".*.*.*.*"+own,
		"alive.*.*", "back.>",
		"$JS.API.STREAM.MSG.GET.*", "$JS.API.STREAM.INFO.*", "$SYS.REQ.USER.INFO", pingNodes)
	if isHuman(name) {
		publish = append(publish,
			root+"ask.end.*.*."+endBy(asHuman, name), root+"ask.drafts.*.*"+own, root+"ask.mark.*.lifted.*"+own, keysOf(name).by(name),
			"$JS.API.CONSUMER.CREATE.ASK.>", listClients)
	}
	return publish, []string{"rang.>", "who.*", "alive" + own + ".*", "back" + own + ".>", "_INBOX" + own + ".>"}
}
