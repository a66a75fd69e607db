package ntfy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/desk/desktest"
	"mcp-askuser/internal/fatal"
	"mcp-askuser/internal/ntfytest"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

const topic = "my-questions"

func openDesk(t *testing.T) *desk.Desk {
	t.Helper()
	s := desktest.Store(t, t.TempDir()+"/store")
	return desk.New(s, desk.Options{})
}

func choice(labels ...string) question.Set {
	q := question.Question{ID: "q1", Text: "Which database shall we use?", Header: "Database", Type: question.SingleChoice, Required: true, AllowCustom: true}
	for i, label := range labels {
		q.Options = append(q.Options, question.Option{ID: fmt.Sprintf("o%d", i), Label: label})
	}
	return question.Set{Questions: []question.Question{q}}
}

func ask(t *testing.T, d *desk.Desk, set question.Set) desk.Record {
	t.Helper()
	rec, attendance, err := d.Submit(t.Context(), desk.Request{Set: set, Asker: desk.Asker{Client: "claude-code", Directory: "/src/shop", Via: "mcp"}, Session: "s"})
	fatal.If(t, err)
	t.Cleanup(attendance.Release)
	return rec
}

func phone(t *testing.T, d *desk.Desk, address string, change func(*Options)) *Phone {
	t.Helper()
	o := Options{Server: address, Topic: topic, Key: []byte("0123456789abcdef"), Desk: d}
	if change != nil {
		change(&o)
	}
	p, err := New(o)
	fatal.If(t, err)
	return p
}

// at is the page at an address.
func at(address string) func() string { return func() string { return address } }

// notify tells of the record until the test, or the function, ends it.
func notify(t *testing.T, p *Phone, rec desk.Record) (end func()) {
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Notify(ctx, rec)
	}()
	end = func() { stop(); <-done }
	t.Cleanup(end)
	return end
}

func wait(t *testing.T, d *desk.Desk, id string) desk.Record {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	rec, err := d.Wait(ctx, id)
	fatal.If(t, err)
	return rec
}

// The question goes out, a button is pressed, the answer is on the desk, and the
// notification goes.
func TestAnsweredOnThePhone(t *testing.T) {
	for _, token := range []string{"", "tk_secret"} {
		s, d := ntfytest.New(t, token), openDesk(t)
		p := phone(t, d, s.URL, func(o *Options) { o.Token = token })
		s.Grant("", topic+"-*")
		rec := ask(t, d, choice("PostgreSQL", "SQLite", "MongoDB", "DuckDB"))
		end := notify(t, p, rec)
		m := s.Await(t, topic, ntfytest.Titled)
		if m["title"] != "Question from Claude Code in shop" || m["message"] != "Which database shall we use?\n1. PostgreSQL\n2. SQLite\n3. MongoDB\n4. DuckDB\nAnswer at your computer: mcp-askuser inbox" || len(m["actions"].([]any)) != 3 {
			t.Errorf("got %v", m)
		}
		if data, _ := json.Marshal(m); token != "" && bytes.Contains(data, []byte(token)) {
			t.Errorf("our own token is in %s", data)
		}
		ntfytest.Press(t, m, 1)
		got := wait(t, d, rec.ID)
		if got.State != desk.Answered || got.Outcome.Surface != surface || got.Outcome.Reply.Answers[0].Selected[0] != "o1" || got.Outcome.Reply.Answers[0].By != question.ByUser {
			t.Errorf("got %+v", got.Outcome)
		}
		end()
		s.Await(t, topic, func(m map[string]any) bool { return m["event"] == "message_clear" && m["sequence_id"] == rec.ID })
	}
}

// A yes or a no is a button, too, whatever it is called on the phone: tokens sign the record as it is
// stored.
func TestConfirmedOnThePhone(t *testing.T) {
	words.Local = words.Chinese
	t.Cleanup(func() { words.Local = words.English })
	p := phone(t, openDesk(t), "https://ntfy.example", nil)
	rec := ask(t, p.Desk, question.Set{Questions: []question.Question{
		{ID: "q1", Text: "Deploy?", Type: question.Boolean, Required: true, Options: question.YesAndNo()},
	}})
	m := p.notification(rec)
	if m.Title != "问题（来自 Claude Code · shop）" || len(m.Actions) != 2 || m.Actions[1].Label != "否" {
		t.Fatalf("got %+v", m)
	}
	p.takeAnswer(t.Context(), m.Actions[1].Body, time.Now())
	if got := wait(t, p.Desk, rec.ID); got.Outcome.Reply.Answers[0].Selected[0] != question.NoID {
		t.Errorf("got %+v", got.Outcome.Reply)
	}
}

// What the server stores is what the user has chosen to send.
func TestWhatIsSent(t *testing.T) {
	set := choice("PostgreSQL", "SQLite")
	follow := choice("A", "B")
	follow.Questions[0].Options[0].FollowUps = choice("C", "D").Questions
	secret := choice("A", "B")
	secret.Questions[0].Text = "Please paste your API token"
	two := question.Set{Questions: append(choice("A", "B").Questions, question.Question{ID: "q2", Text: "Why?", Type: question.Text})}
	without := choice("A", "B")
	without.Questions[0].Header = ""
	described := choice("PostgreSQL", "SQLite")
	described.Questions[0].Options[0].Description, described.Questions[0].Options[1].Preview = "a server", "-- one file"
	details := func(text string) question.Set {
		x := choice("PostgreSQL", "SQLite")
		x.Questions[0].Description = text
		return x
	}
	for _, tc := range []struct {
		name    string
		private bool
		set     question.Set
		want    string // title, message, buttons
	}{
		{"private", true, set, "A question waits|Tap.|"},
		{"full", false, set, "Question from Claude Code in shop|Which database shall we use?|PostgreSQL,SQLite"},
		{"details of ten lines", false, details(strings.Repeat("x\n", 8) + "x"), "Question from Claude Code in shop|Which database shall we use?" + strings.Repeat("↵x", 9) + "|PostgreSQL,SQLite"},
		{"details of eleven lines", false, details(strings.Repeat("x\n", 9) + "x"), "Question from Claude Code in shop|Which database shall we use?↵Tap.|"},
		{"a long line", false, details(strings.Repeat("x", 361)), "Question from Claude Code in shop|Which database shall we use?↵Tap.|"},
		{"a long line of wide characters", false, details(strings.Repeat("删", 181)), "Question from Claude Code in shop|Which database shall we use?↵Tap.|"},
		// The server would make a file of a message of more than 4,096 bytes. These marks make a character
		// taller, and no wider.
		{"many bytes", false, details(strings.Repeat("a"+strings.Repeat("\u0301", 30), 80)), "Question from Claude Code in shop|Which database shall we use?↵Tap.|"},
		{"a description of an option", false, described, "Question from Claude Code in shop|Which database shall we use?↵1. PostgreSQL: a server↵2. SQLite↵-- one file|1. PostgreSQL,2. SQLite"},
		{"four options", false, choice("A", "B", "C", "D"), "Question from Claude Code in shop|Which database shall we use?↵1. A↵2. B↵3. C↵4. D↵Tap.|1. A,2. B,3. C"},
		{"follow-ups", false, follow, "Question from Claude Code in shop|Which database shall we use?↵Tap.|"},
		{"a secret", false, secret, "Question from Claude Code in shop|Please paste your API token↵Tap.|"},
		{"free text", false, question.Set{Questions: []question.Question{{ID: "q1", Text: "Why?", Type: question.Text}}}, "Question from Claude Code in shop|Why?↵Tap.|"},
		{"two questions", false, two, "Question from Claude Code in shop|Which database shall we use? (and 1 more)↵Tap.|"},
		{"hostile", false, func() question.Set {
			x := choice("A\x1b[2J\u202eB", "B")
			x.Questions[0].Text = "a\nb\u202ec"
			return x
		}(), "Question from Claude Code in shop|a␊b[U+202E]c↵1. A␛[2J[U+202E]B↵2. B|1. A␛[2J[U+2…,2. B"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := phone(t, openDesk(t), "https://ntfy.example", func(o *Options) { o.Private, o.Page = tc.private, at("https://page.example/") })
			m := p.notification(desk.Record{ID: "01J", Set: tc.set, Asker: desk.Asker{Client: "claude-code", Directory: "/src/shop"}})
			var labels []string
			for _, a := range m.Actions {
				labels = append(labels, a.Label)
			}
			message := strings.NewReplacer("\n", "↵", p.hint(&desk.Record{}, m.Click), "Tap.").Replace(m.Message)
			if got := m.Title + "|" + message + "|" + strings.Join(labels, ","); got != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
			if m.Click != "https://page.example/?id=01J" {
				t.Errorf("opens %q", m.Click)
			}
			data, _ := json.Marshal(m)
			if tc.private && bytes.Contains(data, []byte("Postgre")) {
				t.Errorf("tells %s", data)
			}
		})
	}
}

// A token that is replayed, from elsewhere, late or guessed answers nothing, and
// disturbs nothing.
func TestTokensThatDoNotCount(t *testing.T) {
	s, d := ntfytest.New(t, ""), openDesk(t)
	p := phone(t, d, s.URL, nil)
	first, second := ask(t, d, choice("A", "B")), ask(t, d, choice("C", "D"))
	notify(t, p, first)
	m := s.Await(t, topic, ntfytest.Titled)
	ntfytest.Press(t, m, 0)
	wait(t, d, first.ID)
	other := phone(t, d, s.URL, func(o *Options) { o.Key = []byte("another key of 16") })
	good := p.token(second, 0)
	changed := second
	changed.Questions = slices.Clone(second.Questions)
	changed.Questions[0].Description = "of a harmless kind"
	for _, token := range []string{
		m["actions"].([]any)[0].(map[string]any)["body"].(string), // replayed
		p.token(first, 1),                                  // of a question that has ended
		other.token(second, 0),                             // signed by somebody else
		good[:len(good)-1] + "0", good[:len(good)-1] + "1", // guessed
		strings.Replace(good, ".0.", ".1.", 1), // of another option
		strings.Replace(good, ".0.", ".9.", 1), strings.Replace(good, ".0.", ".-1.", 1),
		strings.Replace(good, second.ID, first.ID, 1), // of another question
		p.token(changed, 0),                           // of other details than those in the record
		"", "..", "yes", strings.Repeat("x", 4000),
	} {
		if token == good {
			continue
		}
		p.takeAnswer(t.Context(), token, time.Now())
	}
	got, err := d.Get(t.Context(), second.ID)
	if err != nil || got.State != desk.Pending {
		t.Fatalf("%+v, %v", got.Outcome, err)
	}
	p.takeAnswer(t.Context(), good, time.Now())
	if got, _ = d.Get(t.Context(), second.ID); got.State != desk.Answered {
		t.Errorf("the right one is %s", got.State)
	}
}

// A press counts that arrives while the store cannot be read.
func TestPressWhileTheStoreFails(t *testing.T) {
	s := &desktest.Faulty{Store: desktest.Store(t, t.TempDir()+"/store")}
	p := phone(t, desk.New(s, desk.Options{}), "https://ntfy.example", nil)
	rec := ask(t, p.Desk, choice("A", "B"))
	const read = "Get"
	reads := 0
	s.Before(func(_ context.Context, c desktest.Call) error {
		if c.Method == read {
			reads++
		}
		if reads != 1 {
			return nil
		}
		return fmt.Errorf("the desk: %w", desk.ErrUnreachable)
	})
	p.takeAnswer(t.Context(), p.token(rec, 1), time.Now())
	got, err := p.Desk.Get(t.Context(), rec.ID)
	if err != nil || got.State != desk.Answered {
		t.Errorf("%s, %v", got.State, err)
	}
}

// A press after the end has the phone say who was first; one of the button that has answered says nothing.
func TestTooLateOnThePhone(t *testing.T) {
	s, d := ntfytest.New(t, ""), openDesk(t)
	p := phone(t, d, s.URL, nil)
	rec := ask(t, d, choice("A", "B"))
	notify(t, p, rec)
	m := s.Await(t, topic, ntfytest.Titled)
	if _, err := d.Reply(t.Context(), rec.ID, question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"o0"}}}}, desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	ntfytest.Press(t, m, 1)
	told := s.Await(t, topic, func(m map[string]any) bool { return m["title"] == "Not sent" })
	if told["message"] != "Already answered in a terminal." {
		t.Errorf("told %v", told)
	}
	second := ask(t, d, choice("C", "D"))
	for _, token := range []string{ // as each process of the user does
		p.token(second, 0), p.token(second, 0), p.token(rec, 1),
	} {
		p.takeAnswer(t.Context(), token, time.Now())
	}
	again := s.Await(t, topic, func(m map[string]any) bool { return m["title"] == "Not sent" && m["id"] != told["id"] })
	if again["sequence_id"] == nil || again["sequence_id"] != told["sequence_id"] || told["sequence_id"] == rec.ID {
		t.Errorf("does not replace the first: %v", again)
	}
}

// An answer that arrives while no process listens is taken by the one that listens next. One that could
// not be stored before the subscription ended comes again with the next one.
func TestAnswerKeptByTheServer(t *testing.T) {
	s, d := ntfytest.New(t, ""), openDesk(t)
	rec := ask(t, d, choice("A", "B"))
	end := notify(t, phone(t, d, s.URL, nil), rec)
	m := s.Await(t, topic, ntfytest.Titled)
	end()
	ntfytest.Press(t, m, 1)
	p := phone(t, d, s.URL, nil)
	ctx, silence := context.WithCancel(t.Context())
	taken := ""
	_ = p.subscribe(ctx, func(_ context.Context, token string, _ time.Time) {
		taken = token
		silence()
	})
	if taken == "" || p.since != "all" {
		t.Errorf("received %q, and would go on after %q", taken, p.since)
	}
	defer p.Listen()()
	if got := wait(t, d, rec.ID); got.Outcome.Reply.Answers[0].Selected[0] != "o1" {
		t.Errorf("got %+v", got.Outcome.Reply)
	}
}

// A test notification's button ends the wait; presses of other notifications do not.
func TestPressOfATest(t *testing.T) {
	s := ntfytest.New(t, "tk_own")
	s.Grant("", topic+"-*")
	p := phone(t, nil, s.URL, func(o *Options) { o.Token = "tk_own" })
	first, err := p.SendTest(t.Context())
	fatal.If(t, err)
	second, err := p.SendTest(t.Context())
	fatal.If(t, err)
	press := func(id string) {
		ntfytest.Press(t, s.Await(t, topic, func(m map[string]any) bool { return m["sequence_id"] == id }), 0)
	}
	press(second)
	ctx, stop := context.WithCancel(t.Context())
	waited := make(chan error)
	go func() { waited <- p.AwaitTest(ctx, first) }()
	if err := p.AwaitTest(t.Context(), second); err != nil {
		t.Errorf("pressed before the wait: %v", err)
	}
	press(first)
	if err := <-waited; err != nil {
		t.Errorf("pressed during the wait: %v", err)
	}
	stop()
	if err := p.AwaitTest(ctx, "another"); !errors.Is(err, context.Canceled) {
		t.Errorf("ended by its context: %v", err)
	}
}

// Whether a press would be refused shows before a button is sent: it carries no credential.
func TestTryPress(t *testing.T) {
	s := ntfytest.New(t, "tk_own")
	p := phone(t, nil, s.URL, func(o *Options) { o.Token = "tk_own" })
	err := p.TryPress(t.Context())
	if !errors.Is(err, ErrRefused) {
		t.Errorf("where only we may write: %v", err)
	}
	s.Grant("", p.reply)
	fatal.If(t, p.TryPress(t.Context()))
}

// A client turns a POST that is redirected into a GET, which succeeds and sends nothing.
func TestRedirected(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/secure") {
			http.Redirect(w, r, "/secure"+r.URL.Path, http.StatusMovedPermanently)
		}
	}))
	t.Cleanup(server.Close)
	p := phone(t, nil, server.URL, nil)
	_, err := p.SendTest(t.Context())
	for _, err := range []error{err, p.TryPress(t.Context())} {
		if err == nil || !strings.Contains(err.Error(), "301 Moved Permanently") {
			t.Errorf("sent, with the error %v", err)
		}
	}
}

func TestLink(t *testing.T) {
	for server, want := range map[string]string{
		"https://ntfy.sh": "ntfy://ntfy.sh/my-questions", "https://ntfy.example:8443/": "ntfy://ntfy.example:8443/my-questions",
		"http://192.0.2.7": "ntfy://192.0.2.7/my-questions?secure=false",
	} {
		if got := phone(t, nil, server, nil).Link(); got != want {
			t.Errorf("%s: %s", server, got)
		}
	}
}

// A question without buttons says where to answer. It names this machine, unless the server gets no
// text. The phone cannot sign: passkeys work on a page with a name and a certificate.
func TestHint(t *testing.T) {
	const page, sign = "Tap to open the page, and answer there.",
		"Sign your answer at your computer: mcp-askuser web --open"
	text := question.Set{Questions: []question.Question{{ID: "q1", Text: "Which?", Type: question.Text}}}
	choice := choice("A", "B")
	choice.Questions[0].Text = "Which?"
	for _, tt := range []struct {
		set     question.Set
		private bool
		prove   bool
		page    string
		want    string
	}{
		{text, true, false, "", "Answer at your computer: mcp-askuser inbox"},
		{text, false, false, "", "Which?\nAnswer on desk-7: mcp-askuser inbox"},
		{choice, false, true, "", "Which?\n" + sign},
		{choice, false, true, "https://page.example/", "Which?\n" + page},
		{choice, false, true, "http://page.example/", "Which?\n" + sign},
		{choice, false, true, "https://192.0.2.7:20000/", "Which?\n" + sign},
	} {
		p := phone(t, nil, "https://ntfy.example",
			func(o *Options) { o.Private, o.Page, o.Host = tt.private, at(tt.page), "desk-7" })
		m := p.notification(desk.Record{ID: "01J", Set: tt.set, Prove: tt.prove})
		if m.Message != tt.want || m.Actions != nil || (m.Click == "") != (tt.page == "") {
			t.Errorf("want %q, got %+v", tt.want, m)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, tc := range []struct {
		o    Options
		says string
	}{
		{Options{Server: "ntfy.sh", Topic: topic, Key: make([]byte, 32)}, "no address"},
		{Options{Server: "https://ada:secret@ntfy.sh", Topic: topic, Key: make([]byte, 32)}, "no address"},
		{Options{Server: "https://ntfy.sh", Topic: "a b", Key: make([]byte, 32)}, "topic"},
		{Options{Server: "https://ntfy.sh", Topic: topic, Key: nil}, "key"},
	} {
		if _, err := New(tc.o); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%v, want %q", err, tc.says)
		}
	}
}

// A question that is asked while the network is down, or by a machine that wakes up with dead
// connections, reaches the phone afterwards.
func TestNotifiedOnceTheServerAnswers(t *testing.T) {
	s, d := ntfytest.New(t, ""), openDesk(t)
	failed := false
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" && !failed {
			failed = true
			panic(http.ErrAbortHandler)
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	p := phone(t, d, front.URL, nil)
	rec := ask(t, d, choice("A", "B"))
	notify(t, p, rec)
	s.Await(t, topic, ntfytest.Titled)
}

// A question that is answered while its notification is on its way leaves none behind.
func TestAnsweredWhilePublished(t *testing.T) {
	ctx, answered := context.WithCancel(t.Context())
	cleared := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost && r.URL.Path == "/":
			_, _ = io.Copy(io.Discard, r.Body) // the server notices the end of a request that it has read
			answered()
			<-r.Context().Done()
		case r.Method == http.MethodPut:
			cleared <- r.URL.Path
		}
	}))
	defer server.Close()
	d := openDesk(t)
	p := phone(t, d, server.URL, nil)
	rec := ask(t, d, choice("A", "B"))
	p.Notify(ctx, rec)
	select {
	case path := <-cleared:
		if want := "/" + topic + "/" + rec.ID + "/clear"; path != want {
			t.Errorf("cleared %s, want %s", path, want)
		}
	default:
		t.Error("the notification stays on the phone")
	}
}

// A press that this machine's credential may not pass on is refused once: those of other questions
// follow it. The notification of such a question has no buttons.
func TestPressThatIsNotPermitted(t *testing.T) {
	s := &desktest.Faulty{Store: desktest.Store(t, t.TempDir()+"/store")}
	d := desk.New(s, desk.Options{})
	p := phone(t, d, "https://ntfy.example", nil)
	rec := ask(t, d, choice("A", "B"))
	s.FailAnswers(fmt.Errorf("the desk: %w", desk.ErrDenied))
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	p.takeAnswer(ctx, p.token(rec, 0), time.Now())
	if ctx.Err() != nil {
		t.Error("it is tried again and again")
	}
	rec.Home = "nats://desk.example" // where this machine has no user's credential
	if m := p.notification(rec); m.Actions != nil {
		t.Errorf("buttons that cannot answer: %+v", m.Actions)
	}
}
