package inbox

import (
	"testing"

	"mcp-askuser/desk"
)

// What = has sent is not reported as answered elsewhere, whichever news is first.
func TestAlikeSentHere(t *testing.T) {
	r := newRig(t, 80, 24)
	r.claude(database())
	r.ask(desk.Asker{Client: "codex", Directory: "/home/ada/shop"}, "s1", database())
	r.open().answers().keys("2", "enter").see("1 other asks the same")
	sent := r.m.answerOthers()()
	r.see("0 waiting").lacks("Already answered")
	r.send(sent)
	r.see("The same answer was sent to 1 other.")
}
