package stdio

import (
	"context"
	"encoding/json"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/desk/local"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/waittest"
	"mcp-askuser/question"
	"mcp-askuser/server"
	"mcp-askuser/tools/askuser"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
)

var update = flag.Bool("update", false, "write what counts of the server's lines anew into the recordings")

// The files in testdata/hosts are sessions of real hosts and clients, as they
// were recorded while a person, or a program, used them: > is a line of the
// host's, < what of the server's line counts, ! an answer that was given
// elsewhere, . the end of the host's lines, = the state of the record then, # the
// name of what follows. What differs from one time to the next has a name
// instead: the record is $ID, the open form $FORM.

// recording is the sessions of one host: how each began, and what was asked.
type recording struct {
	title string
	hello []string
	names []string // of what was asked, in order
	asked map[string][]string
	mu    sync.Mutex
}

func readRecording(t *testing.T, file string) *recording {
	t.Helper()
	data, err := os.ReadFile(file)
	fatal.If(t, err)
	title, rest, _ := strings.Cut(string(data), "\n")
	parts := strings.Split("\n"+strings.TrimSpace(rest), "\n# ")
	r := &recording{title: title, hello: lines(parts[0]), asked: map[string][]string{}}
	for _, part := range parts[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		r.names = append(r.names, name)
		r.asked[name] = lines(rest)
	}
	return r
}

func lines(s string) []string { return strings.Split(strings.TrimSpace(s), "\n") }

// alone reports whether nobody sat at the host.
func (r *recording) alone() bool { return strings.HasSuffix(r.title, "; alone") }

// heard takes what was said in place of what was recorded.
func (r *recording) heard(name string, hello, asked []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hello, r.asked[name] = hello, asked
}

func (r *recording) String() string {
	all := append([]string{r.title}, r.hello...)
	for _, name := range r.names {
		all = append(append(all, "# "+name), r.asked[name]...)
	}
	return strings.Join(all, "\n") + "\n"
}

// Every recorded host gets what it got from the server when it was used: the
// era, a form or none, the result.
func TestRecordedHosts(t *testing.T) {
	files, err := filepath.Glob("testdata/hosts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		host := readRecording(t, file)
		hello := slices.Clone(host.hello)
		if *update {
			t.Cleanup(func() {
				if err := os.WriteFile(file, []byte(host.String()), 0o644); err != nil {
					t.Error(err)
				}
			})
		}
		for _, name := range host.names {
			asked := host.asked[name]
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+name, func(t *testing.T) {
				t.Parallel()
				r := newReplay(t, host.alone())
				host.heard(name, r.play(hello), r.play(asked))
			})
		}
	}
}

// replay is a recorded host at a server of its own.
type replay struct {
	*peer
	desk  *desk.Desk
	store *local.Store
	alone bool
	form  string // the id of the last form
}

func newReplay(t *testing.T, alone bool) *replay {
	t.Helper()
	store := desktest.Store(t, t.TempDir())
	r := &replay{desk: desk.New(store, desk.Options{}), store: store, alone: alone}
	p := present.New(present.Options{Desk: r.desk})
	tools := askuser.New(askuser.Config{
		Desk: r.desk, Presenter: p, Log: slog.New(slog.DiscardHandler), Limits: question.DefaultLimits(), Surfaces: []ui.Surface{askuser.Elicit()},
		Attended: func(bool) bool { return !alone }, Command: "mcp-askuser inbox",
	})
	t.Cleanup(func() { p.Close(askuser.ErrDisconnected) })
	r.peer = connect(t, server.New("test", tools), func(o *Options) { o.Directory = "/proj" })
	return r
}

// play plays lines of a recording, and returns them with what the server said.
// The server's lines between two of the host's may come in any order.
func (r *replay) play(recorded []string) (heard []string) {
	r.t.Helper()
	for i := 0; i < len(recorded); i++ {
		kind, line, _ := strings.Cut(recorded[i], " ")
		switch kind {
		case ">":
			r.say(line)
		case "!":
			r.answer(line)
		case ".":
			_, _ = r.hangUp()
		case "=":
			if state := r.open().State; string(state) != line {
				r.t.Fatalf("line %d: the record is %s, want %s", i+1, state, line)
			}
		case "<":
			want := []string{line}
			for ; i+1 < len(recorded) && recorded[i+1][0] == '<'; i++ {
				want = append(want, recorded[i+1][2:])
			}
			got := make([]string, len(want))
			for j := range got {
				got[j] = r.hear()
				heard = append(heard, "< "+got[j])
			}
			slices.Sort(want)
			slices.Sort(got)
			if !*update && !slices.Equal(got, want) {
				r.t.Fatalf("line %d\ngot  %s\nwant %s", i+1, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			}
			continue
		default:
			r.t.Fatalf("what is %q?", recorded[i])
		}
		heard = append(heard, recorded[i])
	}
	return heard
}

// say sends a line of the host's.
func (r *replay) say(line string) {
	r.t.Helper()
	if strings.Contains(line, `"$FORM"`) && !r.alone {
		waittest.Pass(r.t.Context(), 2*time.Second) // a second is a user's, and the machine may be busy
	}
	line = strings.ReplaceAll(line, "$FORM", r.form)
	if strings.Contains(line, "$ID") {
		line = strings.ReplaceAll(line, "$ID", r.open().ID)
	}
	r.send(line)
}

// answer answers the open record elsewhere, and returns when nobody waits for it
// any more: a form that comes after that comes too late.
func (r *replay) answer(line string) {
	r.t.Helper()
	var answers []struct {
		QuestionID string   `json:"question_id"`
		Selected   []string `json:"selected"`
		Text       string   `json:"text"`
	}
	fatal.If(r.t, json.Unmarshal([]byte(line), &answers))
	var reply question.Reply
	for _, a := range answers {
		reply.Answers = append(reply.Answers, question.Answer{QuestionID: a.QuestionID, Selected: a.Selected, Custom: a.Text})
	}
	id := r.open().ID
	if _, err := r.desk.Reply(context.Background(), id, reply, desk.Evidence{Surface: "shell", How: desk.HowPage}); err != nil {
		r.t.Fatal(err)
	}
	if !waittest.Until(waittest.Patience, func() bool {
		row, err := r.store.Get(context.Background(), id)
		return err == nil && !row.Attended
	}) {
		r.t.Fatal("no call receives the answer")
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

// heardForm is what counts of a form, and of its withdrawal.
type heardForm struct {
	RequestID, Message string
	RequestedSchema    any
}

// hear returns what counts of the server's next line, as a recording has it.
// Progress does not.
func (r *replay) hear() string {
	r.t.Helper()
	var m struct {
		ID, Error any
		Method    string
		Params    heardForm
		Result    struct {
			ProtocolVersion, SupportedVersions, Capabilities any

			Tools             []struct{ Name string }
			Content           []struct{ Text string }
			StructuredContent struct{ Status string }
			IsError           bool
			RequestState      string
			InputRequests     map[string]struct{ Params heardForm }
		}
	}
	line := r.next()
	fatal.If(r.t, json.Unmarshal([]byte(line), &m))
	x, result := map[string]any{}, m.Result
	switch {
	case m.Method == "notifications/progress":
		return r.hear()
	case m.Method == "elicitation/create":
		r.form, _ = m.ID.(string)
		x["form"] = m.Params.counts()
	case result.InputRequests != nil:
		r.form = result.RequestState
		for _, form := range result.InputRequests {
			x["form"] = form.Params.counts()
		}
	case m.Method == "notifications/cancelled" && m.Params.RequestID == r.form:
		x["cancelled"] = "$FORM"
	case m.Error != nil:
		x["error"] = m.Error
	case result.ProtocolVersion != nil:
		x["protocolVersion"], x["capabilities"] = result.ProtocolVersion, result.Capabilities
	case result.SupportedVersions != nil:
		x["supportedVersions"], x["capabilities"] = result.SupportedVersions, result.Capabilities
	case result.Tools != nil:
		var names []string
		for _, tool := range result.Tools {
			names = append(names, tool.Name)
		}
		x["tools"] = names
	case len(result.Content) == 1:
		text, status := result.Content[0].Text, result.StructuredContent.Status
		if status == "unavailable" { // the reasons are of the machine
			text, _, _ = strings.Cut(text, " (")
		}
		x["status"], x["failed"], x["text"] = status, result.IsError, text
	default:
		return line
	}
	var b strings.Builder
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	fatal.If(r.t, out.Encode(x))
	return recordID.ReplaceAllString(strings.TrimSpace(b.String()), "$$ID")
}

// counts is what counts of a form: its message wherever its rows end.
func (f heardForm) counts() map[string]any {
	message := strings.ReplaceAll(f.Message, "-\n", "-")
	return map[string]any{"message": strings.Join(strings.Fields(message), " "), "requestedSchema": f.RequestedSchema}
}
