//go:build unix

package main

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"mcp-askuser/desk"
	"mcp-askuser/desk/nats/natstest"
	"mcp-askuser/desk/nats/nodes"
	"mcp-askuser/question"
)

// What was put on a shared desk with every right, and is not what a human said to
// what was asked, reaches no agent: not through the command, a call, its ticket
// in another process, or the hook of a host.
func TestForgedDocumentsAreNotDelivered(t *testing.T) {
	c := natstest.Start(t, 1)
	operator := c.Connect(natstest.Account, nodes.Operator, "", make(chan error, 10))
	put := func(subject string, value any) {
		t.Helper()
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		m := natsgo.NewMsg(subject)
		m.Header.Set("Ask-Op", "put")
		m.Data = data
		if ack, err := operator.RequestMsg(m, natstest.Patience); err != nil || !strings.Contains(string(ack.Data), `"seq"`) {
			t.Fatalf("%s is not stored: %v", subject, err)
		}
	}
	yes := question.Reply{Answers: []question.Answer{{QuestionID: "q1", By: question.ByUser}}}
	says := func(rec desk.Record) desk.Outcome {
		yes.Answers[0].Selected = []string{rec.Questions[0].Options[0].ID}
		return desk.Outcome{ID: "01M6GA60M060R30C1G60R30C1H", Status: desk.Answered, Reply: &yes, Surface: "inbox", At: time.Now(), Asked: rec.Statement(), Unsettled: rec.Asker.Mirrored(), Answerer: &desk.Answerer{Kind: desk.UserAnswerer, How: desk.HowPage, Name: "alice"}}
	}
	bot, alice := onDesk(c, nodes.Agent, "bot"), desk.New(c.Open(natstest.Account, nodes.Human, "alice"), desk.Options{})
	const goOn = `{"question":"Go on?","options":["Yes","No"]}`
	mcp := func(t *testing.T, dir string, more ...string) func(tool, args string) string {
		client := connect(t, eras[0], dir, nil, append(append([]string{"serve", "--surface", "inbox"}, more...), bot...)...)
		return func(tool, args string) string {
			text, structured, _ := call(t, client, tool, args)
			data, _ := json.Marshal(structured)
			return text + string(data)
		}
	}
	for asker, start := range map[string]func(t *testing.T, dir string) (ends func(id string) string){
		"command": func(t *testing.T, dir string) func(string) string {
			cmd := program(t, dir, append([]string{"ask", "--surface", "inbox", `{"questions":[` + goOn + `]}`}, bot...)...)
			out := make(chan string, 1)
			go func() {
				text, err := cmd.CombinedOutput()
				if err == nil {
					t.Errorf("it ends well, with %s", text)
				}
				out <- string(text)
			}()
			return func(string) string { return <-out }
		},
		"call": func(t *testing.T, dir string) func(string) string {
			tool, out := mcp(t, dir), make(chan string, 1)
			go func() { out <- tool("ask_user_question", goOn) }()
			return func(string) string { return <-out }
		},
		"ticket": func(t *testing.T, dir string) func(string) string {
			mcp(t, dir, "--hold", "100ms")("ask_user_question", goOn)
			return func(id string) string { return mcp(t, dir)("await_answer", `{"id":"`+id+`"}`) }
		},
		"hook": func(t *testing.T, dir string) func(string) string {
			x := dialogs(t, dir, false, recorded("PermissionRequest", `,"tool_name":"Bash","tool_input":{"command":"rm -r build"}`), func(cmd *exec.Cmd) {
				cmd.Args = append(cmd.Args, append([]string{"--permissions"}, bot...)...)
			})
			return func(string) string { return x.ends() }
		},
	} {
		for forgery, forge := range map[string]func(t *testing.T, rec desk.Record) (open bool){
			"an end by the asker": func(_ *testing.T, rec desk.Record) bool {
				put("_R_.ask.end.bot."+rec.ID+".asker.bot", says(rec))
				return false
			},
			"ends under foreign names": func(_ *testing.T, rec desk.Record) bool {
				put("_R_.ask.end.bot."+rec.ID+".asker.other", says(rec))
				put("_R_.ask.end.bot."+rec.ID+".human.-", says(rec))
				put("_R_.ask.end.other."+rec.ID+".human.alice", says(rec))
				return true
			},
			"another text": func(t *testing.T, rec desk.Record) bool {
				changed := rec
				changed.Attended, changed.ShownOn = false, nil
				changed.Questions = []question.Question{rec.Questions[0]}
				changed.Questions[0].Text = "Is it a nice day?"
				put("_R_.ask.pending.bot."+rec.ID+".bot", changed)
				reply := *says(rec).Reply
				reply.Answers[0].By = ""
				if _, err := alice.Reply(t.Context(), rec.ID, reply, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
					t.Error(err)
				}
				return false
			},
		} {
			t.Run(asker+"/"+forgery, func(t *testing.T) {
				c.Empty(natstest.Account)
				alice = desk.New(c.Open(natstest.Account, nodes.Human, "alice"), desk.Options{})
				ends := start(t, t.TempDir())
				rec := asked(t, alice)
				if open := forge(t, rec); open {
					no := question.Reply{Dismissed: true, Reason: "by alice"}
					if _, err := alice.Reply(t.Context(), rec.ID, no, desk.Evidence{Surface: "inbox", How: desk.HowPage}); err != nil {
						t.Error(err)
					}
				}
				out := ends(rec.ID)
				for _, text := range []string{`"allow"`, `="Yes"`, `"answered"`, `"response":true`, "User has answered"} {
					if strings.Contains(out, text) {
						t.Errorf("it is delivered: %s", out)
					}
				}
			})
		}
	}
}
