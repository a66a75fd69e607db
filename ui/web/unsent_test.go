package web

import (
	"net/http"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

// An answer that the desk could not be reached for is not sent yet: the page says
// so after the form, in the list and with the question, and who was first when
// somebody else was.
func TestUnsent(t *testing.T) {
	g := start(t)
	v := g.visitor()
	rec := g.ask("s", boolean("go"))
	g.store.Off()
	status, there := v.post("/answer", confirmed(rec.ID, "q0", "0"))
	if status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, there)
	}
	v.sees(there, `<p class="notice late unsent" data-id="`+rec.ID+`">Not sent yet: the desk does not answer. It is kept here, and sent later.</p>`)
	v.sees("/", "<span>answer not sent yet</span>")
	v.sees("/?id="+rec.ID, "<span>answer not sent yet</span>")
	v.sees("/?id="+rec.ID, "Your draft is back; nothing of it has been sent.")
	other := desk.New(g.store.Store, desk.Options{})
	if _, err := other.Reply(t.Context(), rec.ID, question.Reply{Answers: []question.Answer{{QuestionID: "go", Selected: []string{question.NoID}}}}, desk.Evidence{Surface: "tty", How: desk.HowPage}); err != nil {
		t.Fatal(err)
	}
	v.sees("/?id="+rec.ID, `data-notice="Not answered on the web page: it was answered in a terminal first."`)
}
