//go:build unix

package pane

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mcp-askuser/desk"
	"mcp-askuser/desk/local"
	"mcp-askuser/question"
	"mcp-askuser/ui"
	"mcp-askuser/ui/present"
	"mcp-askuser/ui/tty"
)

// The test binary is also the program that panes run: it shows a question's
// text and takes one line, the id of an option. It ends with its question.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "answer" {
		os.Exit(answer(os.Args[2]))
	}
	if len(os.Args) == 4 && os.Args[1] == "ask" {
		os.Exit(ask(os.Args[2], os.Args[3]))
	}
	goleak.VerifyTestMain(m)
}

func answer(id string) int {
	d := desk.New(local.Open(os.Getenv("MCP_ASKUSER_DIR")), desk.Options{})
	presenter := present.New(present.Options{Desk: d})
	on := tty.New(tty.Options{Getenv: os.Getenv, Lock: tty.NewLock(), Desk: d, Pane: true}) // as the command has it
	if os.Getenv("PANE_FORM") == "" {
		simple := lines{line: make(chan string)}
		go simple.read()
		on = simple
	}
	w, err := presenter.Show(context.Background(), id, func(*present.Presentation) []ui.Surface { return []ui.Surface{Answering(on)} })
	if err != nil {
		fmt.Println(err)
		return 1
	}
	<-w.Unshown()
	if w.UnshownReason() != nil {
		return 1
	}
	return 0
}

// ask is an asker in the pane %0 of a tmux server.
func ask(id, socket string) int {
	d := desk.New(local.Open(os.Getenv("MCP_ASKUSER_DIR")), desk.Options{})
	presenter := present.New(present.Options{Desk: d})
	s := New(variables("TMUX="+socket+",1,0", "TMUX_PANE=%0"), "MCP_ASKUSER_DIR="+os.Getenv("MCP_ASKUSER_DIR"))
	w, err := presenter.Join(context.Background(), id, func(*present.Presentation) []ui.Surface { return []ui.Surface{s} })
	if err != nil {
		return 1
	}
	<-w.Ended()
	return 0
}

// lines shows a question as one line, and takes one, where it appeared by
// itself.
type lines struct {
	line chan string
}

func (lines) Name() string { return "tty" }

// read reads what is typed. It is no part of Show, which may end before.
func (l lines) read() {
	defer close(l.line)
	if line, err := bufio.NewReader(os.Stdin).ReadString('\n'); err == nil {
		l.line <- strings.TrimSpace(line)
	}
}

func (l lines) Show(ctx context.Context, rec desk.Record, commit ui.Commit) error {
	if os.Getenv(Variable) == "" {
		return ui.Unavailablef("not in a pane")
	}
	if os.Getenv(Variable) == Ring {
		fmt.Print("\a")
	}
	fmt.Printf("%s> ", rec.Questions[0].Text)
	for {
		select {
		case line, ok := <-l.line:
			if !ok {
				return ui.Unavailablef("the end of input")
			}
			return commit(reply(line))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func reply(option string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}}}}
}
