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
	"mcp-askuser/desk/spool"
	"mcp-askuser/question"
)

// The test binary is also the program that panes run: it shows a question's
// text and takes one line, the id of an option. It ends with its question.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "answer" {
		os.Exit(answer(os.Args[2]))
	}
	goleak.VerifyTestMain(m)
}

func answer(id string) int {
	ctx := context.Background()
	store, err := spool.Open(os.Getenv("MCP_ASKUSER_DIR"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	d := desk.New(store, desk.Options{})
	rec, err := d.Get(ctx, id)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	go func() {
		_, _ = d.Wait(ctx, id)
		os.Exit(2)
	}()
	fmt.Printf("%s> ", rec.Questions[0].Text)
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return 1
	}
	if _, err := d.Reply(ctx, id, reply(strings.TrimSpace(line)), "answer"); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func reply(option string) question.Reply {
	return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{option}}}}
}
