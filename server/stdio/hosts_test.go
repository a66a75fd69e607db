package stdio

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/spool"
	"mcp-askuser/question"
	"mcp-askuser/server"
	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

// The files in testdata/hosts are sessions of the real hosts, as they were
// recorded while a person used them: > is a line of the host's, < what of the
// server's line counts, ! an answer that was given elsewhere, # the name of
// what follows. What differs from one time to the next has a name instead: the
// record is $ID, the open form $FORM.

// recording is one session: how it began, and what was asked in it.
type recording struct {
	alone bool // nobody sat at the host
	hello []string
	asked map[string][]string
}

func readRecording(t *testing.T, file string) recording {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	title, rest, _ := strings.Cut(string(data), "\n")
	parts := strings.Split("\n"+strings.TrimSpace(rest), "\n# ")
	r := recording{strings.HasSuffix(title, "; alone"), lines(parts[0]), map[string][]string{}}
	for _, part := range parts[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		r.asked[name] = lines(rest)
	}
	return r
}

func lines(s string) []string { return strings.Split(strings.TrimSpace(s), "\n") }

// Every recorded host gets what it got from the server when a person used it:
// the era, a form or none, the result.
func TestRecordedHosts(t *testing.T) {
	files, err := filepath.Glob("testdata/hosts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		host := readRecording(t, file)
		for name, asked := range host.asked {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+name, func(t *testing.T) {
				t.Parallel()
				r := newReplay(t, host.alone)
				r.play(host.hello)
				r.play(asked)
			})
		}
	}
}

// replay is a recorded host at a server of its own.
type replay struct {
	*peer
	desk  *desk.Desk
	alone bool
	form  string // the id of the last form
}

func newReplay(t *testing.T, alone bool) *replay {
	t.Helper()
	store, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &replay{desk: desk.New(store, desk.Options{}), alone: alone}
	p := present.New(present.Options{Desk: r.desk})
	tools := askuser.New(askuser.Config{
		Desk: r.desk, Presenter: p, Log: slog.New(slog.DiscardHandler), Limits: question.DefaultLimits(), Surfaces: []ui.Surface{askuser.Elicit()},
		Attended: func(bool) bool { return !alone }, Command: "mcp-askuser inbox",
	})
	t.Cleanup(func() { p.Close(askuser.ErrDisconnected) })
	r.peer = connect(t, server.New("test", tools), func(o *Options) { o.Directory = "/proj" })
	return r
}

// play plays lines of a recording. The server's lines between two of the
// host's may come in any order.
func (r *replay) play(recorded []string) {
	r.t.Helper()
	for i := 0; i < len(recorded); i++ {
		kind, line, _ := strings.Cut(recorded[i], " ")
		switch kind {
		case ">":
			r.say(line)
		case "!":
			r.answer(line)
		case "<":
			want := []string{line}
			for ; i+1 < len(recorded) && recorded[i+1][0] == '<'; i++ {
				want = append(want, recorded[i+1][2:])
			}
			got := make([]string, len(want))
			for j := range got {
				got[j] = r.hear()
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				r.t.Fatalf("line %d\ngot  %s\nwant %s", i+1, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			}
		default:
			r.t.Fatalf("what is %q?", recorded[i])
		}
	}
}

// say sends a line of the host's. A human takes a while.
func (r *replay) say(line string) {
	r.t.Helper()
	if strings.Contains(line, `"$FORM"`) && !r.alone {
		slow := 260 * time.Millisecond
		if !strings.Contains(line, `"accept"`) {
			slow = 1010 * time.Millisecond
		}
		time.Sleep(slow)
	}
	line = strings.ReplaceAll(line, "$FORM", r.form)
	if strings.Contains(line, "$ID") {
		line = strings.ReplaceAll(line, "$ID", r.open().ID)
	}
	r.send(line)
}

// answer answers the open record elsewhere.
func (r *replay) answer(line string) {
	r.t.Helper()
	var answers []struct {
		QuestionID string   `json:"question_id"`
		Selected   []string `json:"selected"`
	}
	if err := json.Unmarshal([]byte(line), &answers); err != nil {
		r.t.Fatal(err)
	}
	var reply question.Reply
	for _, a := range answers {
		reply.Answers = append(reply.Answers, question.Answer{QuestionID: a.QuestionID, Selected: a.Selected})
	}
	if _, err := r.desk.Reply(context.Background(), r.open().ID, reply, "shell"); err != nil {
		r.t.Fatal(err)
	}
}

func (r *replay) open() desk.Record {
	r.t.Helper()
	records, err := r.desk.Pending(r.t.Context())
	if err != nil || len(records) != 1 {
		r.t.Fatalf("%d open questions, %v", len(records), err)
	}
	return records[0]
}

var recordID = regexp.MustCompile(`01[0-9A-Z]{24}`)

// hear returns what counts of the server's next line, as a recording has it.
// Progress does not.
func (r *replay) hear() string {
	r.t.Helper()
	var m struct {
		ID     any    `json:"id"`
		Method string `json:"method"`
		Params struct {
			RequestID string `json:"requestId"`
			Message   string `json:"message"`
			Schema    any    `json:"requestedSchema"`
		} `json:"params"`
		Error  any `json:"error"`
		Result struct {
			Version      string                  `json:"protocolVersion"`
			Capabilities any                     `json:"capabilities"`
			Tools        []struct{ Name string } `json:"tools"`
			Content      []struct{ Text string } `json:"content"`
			IsError      bool                    `json:"isError"`
			Structured   struct {
				Status string `json:"status"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	line := r.next()
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		r.t.Fatal(err)
	}
	x := map[string]any{}
	switch {
	case m.Method == "notifications/progress":
		return r.hear()
	case m.Method == "elicitation/create":
		r.form, _ = m.ID.(string)
		message := strings.ReplaceAll(m.Params.Message, "-\n", "-") // wherever its rows end
		x["form"] = map[string]any{"message": strings.Join(strings.Fields(message), " "), "requestedSchema": m.Params.Schema}
	case m.Method == "notifications/cancelled" && m.Params.RequestID == r.form:
		x["cancelled"] = "$FORM"
	case m.Error != nil:
		x["error"] = m.Error
	case m.Result.Version != "":
		x["protocolVersion"], x["capabilities"] = m.Result.Version, m.Result.Capabilities
	case m.Result.Tools != nil:
		var names []string
		for _, tool := range m.Result.Tools {
			names = append(names, tool.Name)
		}
		x["tools"] = names
	case len(m.Result.Content) == 1:
		text := m.Result.Content[0].Text
		if m.Result.Structured.Status == "unavailable" { // the reasons are of the machine
			text, _, _ = strings.Cut(text, " (")
		}
		x["status"], x["failed"], x["text"] = m.Result.Structured.Status, m.Result.IsError, text
	default:
		return line
	}
	var b strings.Builder
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(x); err != nil {
		r.t.Fatal(err)
	}
	return recordID.ReplaceAllString(strings.TrimSpace(b.String()), "$$ID")
}
