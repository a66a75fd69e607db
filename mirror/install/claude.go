package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"mcp-askuser/install/edit"
	"mcp-askuser/mirror"
)

// limit is how many seconds Claude Code waits for us, beside a dialog that may
// be open for a day.
const limit = 86400

// permissionsFlag has permissions mirrored, too.
const permissionsFlag = "--permissions"

// entry is one hook of Claude Code's settings.
type entry struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout,omitempty"`
	Async   bool   `json:"async,omitempty"`
}

// group is the hooks of one matcher.
type group struct {
	Matcher string  `json:"matcher,omitempty"`
	Hooks   []entry `json:"hooks"`
}

// groupFor is what we install for an event. Only the one that stands beside a
// dialog may take long; the others are off the model's path.
func groupFor(event, command string, permissions bool) group {
	e := entry{Type: "command", Command: command, Timeout: 10, Async: true}
	matcher := "AskUserQuestion"
	switch event {
	case "PermissionRequest":
		e = entry{Type: "command", Command: fmt.Sprintf("%s --limit %d", command, limit), Timeout: limit}
		if permissions { // of every tool
			e.Command, matcher = e.Command+" "+permissionsFlag, ""
		}
	case "SessionEnd": // nobody waits for what it leaves behind
		e.Async, matcher = false, ""
	case "PostToolBatch", "Stop":
		matcher = ""
	}
	return group{Matcher: matcher, Hooks: []entry{e}}
}

// oursPattern is what our commands look like, wherever the program is.
var oursPattern = regexp.MustCompile(`(^|[/\\"' ])mcp-askuser(-hook(\.exe)?["']?|(\.exe)?["']? hook) claude-code( |$)`)

// Claude adds our hooks to Claude Code's settings. The command runs hook for one
// event. What is there already is brought up to date.
func Claude(data []byte, command string, permissions bool) ([]byte, error) {
	wanted, err := claudeInstalled(data)
	if err != nil {
		return nil, err
	}
	if slices.EqualFunc(wanted, mirror.ClaudeCodeEvents(), func(have installed, event string) bool {
		return have.event == event && have.same(groupFor(event, command, permissions))
	}) {
		return data, nil
	}
	if data, err = WithoutClaude(data); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}\n")
	}
	for _, event := range mirror.ClaudeCodeEvents() {
		if data, err = addGroup(data, event, groupFor(event, command, permissions)); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// installed is a hook of ours in the settings.
type installed struct {
	event   string
	matcher string
	entry   entry
}

func (x installed) same(g group) bool { return x.matcher == g.Matcher && x.entry == g.Hooks[0] }

// claudeInstalled returns our hooks, in the order of our events.
func claudeInstalled(data []byte) ([]installed, error) {
	d, err := parse(data)
	if err != nil || d == nil {
		return nil, err
	}
	hooks, err := d.hooks()
	if err != nil || hooks == nil {
		return nil, err
	}
	var found []installed
	for _, event := range mirror.ClaudeCodeEvents() {
		for _, g := range elements(member(hooks, event)) {
			for _, h := range elements(member(g, "hooks")) {
				x := installed{event: event}
				_ = json.Unmarshal(plainJSON(h), &x.entry)
				if m := member(g, "matcher"); m != nil {
					_ = json.Unmarshal(plainJSON(m), &x.matcher)
				}
				if oursPattern.MatchString(x.entry.Command) {
					found = append(found, x)
				}
			}
		}
	}
	return found, nil
}

// HasClaude reports whether hooks of ours are in the settings.
func HasClaude(data []byte) bool {
	found, err := claudeInstalled(data)
	return err == nil && len(found) > 0
}

// ClaudePermissions reports whether our hooks in the settings mirror permissions.
func ClaudePermissions(data []byte) bool {
	commands, _, err := ClaudeStatus(data)
	return err == nil && strings.HasSuffix(commands["PermissionRequest"], " "+permissionsFlag)
}

// ClaudeStatus says which of our hooks are in the settings, by event, and which
// are missing.
func ClaudeStatus(data []byte) (commands map[string]string, missing []string, err error) {
	found, err := claudeInstalled(data)
	commands = map[string]string{}
	for _, x := range found {
		commands[x.event] = x.entry.Command
	}
	for _, event := range mirror.ClaudeCodeEvents() {
		if commands[event] == "" {
			missing = append(missing, event)
		}
	}
	return commands, missing, err
}

// WithoutClaude takes our hooks out again, with what becomes empty by that.
func WithoutClaude(data []byte) ([]byte, error) {
	for {
		d, err := parse(data)
		if err != nil || d == nil {
			return data, err
		}
		hooks, err := d.hooks()
		if err != nil || hooks == nil {
			return data, err
		}
		next := d.without(hooks)
		if next == nil {
			return data, nil
		}
		data = next
	}
}

// without takes the first, and largest, piece out that is wholly ours; nil if
// there is none.
func (d *document) without(hooks *hujson.Value) []byte {
	object, ok := hooks.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	ourHook := func(h *hujson.Value) bool {
		var e entry
		return json.Unmarshal(plainJSON(h), &e) == nil && oursPattern.MatchString(e.Command)
	}
	ourGroup := func(g *hujson.Value) bool { return all(elements(member(g, "hooks")), ourHook) }
	ourEvent := func(e *hujson.Value) bool { return all(elements(e), ourGroup) }
	var events []*hujson.Value
	for i := range object.Members {
		events = append(events, &object.Members[i].Value)
	}
	if all(events, ourEvent) {
		return d.remove(&d.root, d.hooksAt)
	}
	for at, event := range events {
		if ourEvent(event) {
			return d.remove(hooks, at)
		}
		for at, g := range elements(event) {
			if ourGroup(g) {
				return d.remove(event, at)
			}
			list := member(g, "hooks")
			for at, h := range elements(list) {
				if ourHook(h) {
					return d.remove(list, at)
				}
			}
		}
	}
	return nil
}

// all reports whether there are some, and all are so.
func all(values []*hujson.Value, so func(*hujson.Value) bool) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v *hujson.Value) bool { return !so(v) })
}

// addGroup adds a group to the list of an event.
func addGroup(data []byte, event string, g group) ([]byte, error) {
	d, err := parse(data)
	if err != nil {
		return nil, err
	}
	hooks, err := d.hooks()
	switch {
	case err != nil:
		return nil, err
	case hooks == nil:
		return d.add(&d.root, 1, `"hooks": `, map[string][]group{event: {g}}), nil
	}
	list := member(hooks, event)
	if list == nil {
		return d.add(hooks, 2, fmt.Sprintf("%q: ", event), []group{g}), nil
	}
	if _, ok := list.Value.(*hujson.Array); !ok {
		return nil, fmt.Errorf("hooks.%s is no list: nothing was changed", event)
	}
	return d.add(list, 3, "", g), nil
}

// document is a settings file and where things stand in it.
type document struct {
	text    []byte
	root    hujson.Value
	hooksAt int
	unit    string // of indentation; empty for a file of one line
	eol     string
}

// bom may stand before JSON that an editor on Windows has written.
var bom = []byte("\ufeff")

// parse reads a settings file; nil where it is empty.
func parse(data []byte) (*document, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	d := &document{text: data, eol: "\n"}
	text := bytes.Clone(data)
	if bytes.HasPrefix(text, bom) {
		copy(text, "   ") // so that every offset is right
	}
	var err error
	if d.root, err = hujson.Parse(text); err != nil {
		return nil, fmt.Errorf("this is not JSON, and was not changed: %w", err)
	}
	object, ok := d.root.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("this is no JSON object, and was not changed")
	}
	if bytes.Contains(data, []byte("\r\n")) {
		d.eol = "\r\n"
	}
	d.unit = "  "
	if len(object.Members) > 0 {
		before := string(object.Members[0].Name.BeforeExtra)
		at := strings.LastIndexByte(before, '\n')
		if at < 0 {
			d.unit = ""
		} else if indent := before[at+1:]; indent != "" && strings.Trim(indent, " \t") == "" {
			d.unit = indent
		}
	}
	return d, nil
}

// hooks returns the member hooks; nil where there is none.
func (d *document) hooks() (*hujson.Value, error) {
	object := d.root.Value.(*hujson.Object)
	for i := range object.Members {
		if name(&object.Members[i]) != "hooks" {
			continue
		}
		d.hooksAt = i
		v := &object.Members[i].Value
		if _, ok := v.Value.(*hujson.Object); !ok {
			return nil, errors.New("hooks is no JSON object: nothing was changed")
		}
		return v, nil
	}
	return nil, nil
}

func name(m *hujson.ObjectMember) string {
	literal, _ := m.Name.Value.(hujson.Literal)
	return literal.String()
}

// member returns a member of an object; nil where there is none.
func member(v *hujson.Value, key string) *hujson.Value {
	if v == nil {
		return nil
	}
	if object, ok := v.Value.(*hujson.Object); ok {
		for i := range object.Members {
			if name(&object.Members[i]) == key {
				return &object.Members[i].Value
			}
		}
	}
	return nil
}

// elements returns those of a list.
func elements(v *hujson.Value) []*hujson.Value {
	if v == nil {
		return nil
	}
	list, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil
	}
	var out []*hujson.Value
	for i := range list.Elements {
		out = append(out, &list.Elements[i])
	}
	return out
}

// plainJSON is a value without comments.
func plainJSON(v *hujson.Value) []byte {
	c := v.Clone()
	c.Standardize()
	return c.Pack()
}

// parts returns where each member or element of a value begins and ends.
func parts(v *hujson.Value) (begin, end []int) {
	switch x := v.Value.(type) {
	case *hujson.Object:
		for i := range x.Members {
			begin, end = append(begin, x.Members[i].Name.StartOffset), append(end, x.Members[i].Value.EndOffset)
		}
	case *hujson.Array:
		for i := range x.Elements {
			begin, end = append(begin, x.Elements[i].StartOffset), append(end, x.Elements[i].EndOffset)
		}
	}
	return begin, end
}

// add puts a value behind the last in an object or a list; label is its name,
// if it has one. What stands on one line stays on one.
func (d *document) add(to *hujson.Value, depth int, label string, value any) []byte {
	_, end := parts(to)
	inside := string(d.text[to.StartOffset+1 : to.EndOffset-1])
	spread := d.unit != "" && (len(end) == 0 || strings.Contains(inside, "\n"))
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	indent := strings.Repeat(d.unit, depth)
	if spread {
		enc.SetIndent(indent, d.unit)
	}
	if err := enc.Encode(value); err != nil { // plain data
		panic(err)
	}
	text := label + strings.TrimSuffix(b.String(), "\n")
	before, after, at := "", "", to.StartOffset+1
	if spread {
		before = "\n" + indent
	}
	if len(end) > 0 {
		at = end[len(end)-1]
		if before = "," + before; !spread {
			before += " "
		}
	} else if spread && !strings.Contains(inside, "\n") {
		after = "\n" + strings.Repeat(d.unit, depth-1)
	}
	return d.splice(at, at, strings.ReplaceAll(before+text+after, "\n", d.eol))
}

// remove takes a member or an element out, with the comma that parts it from
// its neighbour.
func (d *document) remove(from *hujson.Value, at int) []byte {
	begin, end := parts(from)
	switch {
	case len(end) == 1:
		return d.splice(from.StartOffset+1, from.EndOffset-1, "")
	case at > 0:
		return d.splice(end[at-1], end[at], "")
	}
	return d.splice(begin[0], begin[1], "")
}

func (d *document) splice(from, to int, text string) []byte {
	return slices.Concat(d.text[:from], []byte(text), d.text[to:])
}

// ForClaude is the change that installs, or takes out, our hooks in a settings
// file, as it was installed where they are taken out.
func ForClaude(path, command string, permissions, out bool) (edit.Change, error) {
	if out {
		now, err := edit.Read(path)
		if err != nil {
			return now, err
		}
		commands, _, _ := ClaudeStatus(now.Before) // what cannot be read Plan tells
		command, permissions = strings.CutSuffix(commands["PermissionRequest"], " "+permissionsFlag)
		command = strings.TrimSuffix(command, fmt.Sprintf(" --limit %d", limit))
	}
	return edit.Plan(path, out,
		func(data []byte) ([]byte, error) { return Claude(data, command, permissions) },
		WithoutClaude)
}
