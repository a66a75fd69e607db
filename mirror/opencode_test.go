package mirror_test

import (
	"fmt"
	"testing"

	"mcp-askuser/desk"
	"mcp-askuser/question"
)

const (
	openCodeAsked = `{"type":"question.asked","directory":"/home/ada/shop","properties":{"id":"que_1",` +
		`"sessionID":"ses_1","questions":[{"question":"Which database?","header":"DB","options":[` +
		`{"label":"PostgreSQL","description":""},{"label":"MongoDB","description":""}]},{"question":"Which features?",` +
		`"header":"F","multiple":true,"custom":false,"options":[{"label":"A, B","description":""},` +
		`{"label":"C","description":""}]}],"tool":{"messageID":"m","callID":"c"}}}`
	openCodeLeave = `{"type":"permission.asked","directory":"/home/ada/shop","properties":{"id":"per_1",` +
		`"sessionID":"ses_1","permission":"bash","patterns":["rm -r build"],"metadata":{},"always":["rm *"],` +
		`"tool":{"messageID":"m","callID":"c"}},"input":{"command":"ls && rm -r build"}}`
)

// What OpenCode asks, and asks leave for, is answered here or there, and ends.
func TestOpenCode(t *testing.T) {
	done := func(kind, more string) string {
		return fmt.Sprintf(`{"type":"question.%s","properties":{"sessionID":"ses_1","requestID":"que_1"%s}}`, kind, more)
	}
	answers := func(list string) string { return done("replied", `,"answers":`+list) }
	leave := func(reply string) string {
		return fmt.Sprintf(`{"type":"permission.replied","properties":{"sessionID":"ses_1","requestID":"per_1","reply":%q}}`,
			reply)
	}
	here := func(status desk.Status, said string) ended { return ended{status: status, where: "web", said: said} }
	there := func(status desk.Status, said string) ended {
		return ended{status: status, where: "opencode", said: said}
	}
	first, refused := there(desk.Answered, "MongoDB"), there(desk.Answered, "Deny")
	first.later, refused.later = true, true
	noted := question.Answer{QuestionID: "q1", Selected: []string{"MongoDB"}, Note: "for now"}
	const notes = `[["MongoDB","Note of the user: \"for now\"","Note of the user: \"thanks\""],[]]`
	const discuss = `[["User wants to discuss this before answering. They write: \"why?\". Answered so far: ` +
		`\"Which features?\"=\"C\". Talk about it with the user in your reply, assume nothing for what is not answered, ` +
		`and ask again once that is settled."],["C"]]`
	yes := says(choice("q1", question.YesID))
	for name, tc := range map[string]struct {
		asked   string
		reply   *question.Reply
		printed string
		end     string
		want    ended
	}{
		"here": {openCodeAsked, says(question.Answer{QuestionID: "q1", Custom: "none"}, choice("q2", "A, B", "C")),
			`{"answers":[["none"],["A, B","C"]]}`, answers(`[["none"],["A, B","C"]]`), here(desk.Answered, "noneA, B, C")},
		"there first": {openCodeAsked, says(choice("q2", "C")), `{"answers":[[],["C"]]}`, answers(`[["MongoDB"],[]]`), first},
		"there":       {openCodeAsked, nil, "", answers(`[["MongoDB"],["C"]]`), there(desk.Answered, "MongoDBC")},
		"to be discussed": {openCodeAsked, &question.Reply{Discuss: true, Note: "why?",
			Answers: []question.Answer{choice("q2", "C")}}, `{"answers":` + discuss, answers(discuss), here(desk.Discuss, "C")},
		"notes": {openCodeAsked, &question.Reply{Answers: []question.Answer{noted}, Note: "thanks"}, `{"answers":` + notes,
			answers(notes), here(desk.Answered, "MongoDB")},
		"to be discussed, no place for words": {openCodeAsked, &question.Reply{Discuss: true,
			Answers: []question.Answer{choice("q1", "MongoDB")}}, `{"reject":true}`, done("rejected", ""),
			here(desk.Discuss, "MongoDB")},
		"rejected here": {openCodeAsked, &question.Reply{Dismissed: true}, `{"reject":true}`, done("rejected", ""),
			here(desk.Dismissed, "")},
		"rejected there": {openCodeAsked, nil, "", done("rejected", ""), there(desk.Dismissed, "")},
		"leave here": {openCodeLeave, yes, `{"reply":"once"}`, leave("once"),
			here(desk.Answered, "Allow once")},
		"leave there":               {openCodeLeave, nil, "", leave("always"), there(desk.Answered, "Allow once")},
		"refused there":             {openCodeLeave, nil, "", leave("reject"), there(desk.Answered, "Deny")},
		"leave here, refused there": {openCodeLeave, yes, `{"reply":"once"}`, leave("reject"), refused},
	} {
		t.Run(name, func(t *testing.T) {
			dialog{asked: tc.asked, options: []option{permitted, openCode}, reply: tc.reply, printed: tc.printed,
				end: event(tc.end, openCode), want: tc.want}.play(t)
		})
	}
}

// The end of a dialog that closes at once may overtake its question.
func TestEndOvertakes(t *testing.T) {
	var b *beside
	var rec desk.Record
	during(`{"type":"question.rejected","properties":{"sessionID":"ses_1","requestID":"que_1"}}`,
		func(t *testing.T, _ *beside, dir string) {
			b = start(t, dir, openCodeAsked, openCode)
			rec = b.record()
		}, openCode)(t, nil, t.TempDir())
	b.prints("")
	if got := get(t, b.desk, rec.ID); got.State != desk.Dismissed {
		t.Errorf("it is %s", got.State)
	}
}
