package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"mcp-askuser/desk"
	"mcp-askuser/question"
	"mcp-askuser/ui/words"
)

func asked(qs ...question.Question) desk.Record {
	return desk.Record{ID: "01J", Round: 2, State: desk.Pending, Set: question.Set{Questions: qs}}
}

func ended(rec desk.Record, o desk.Outcome) desk.Record {
	rec.State, rec.Outcome = o.Status, &o
	return rec
}

func answeredBy(rec desk.Record, note string, answers ...question.Answer) desk.Record {
	return ended(rec, desk.Outcome{Status: desk.Answered, Surface: "elicit", Reply: &question.Reply{Answers: answers, Note: note}})
}

// by makes it another answerer's reply.
func by(kind desk.AnswererKind, through *desk.Answerer, rec desk.Record) desk.Record {
	if through == nil {
		through = &desk.Answerer{}
	}
	through.Kind = kind
	rec.Outcome.Answerer = through
	return rec
}

// proven has the user sign the reply.
func proven(kind question.ProofKind, rec desk.Record) desk.Record {
	rec.Outcome.Proof = &question.Proof{Kind: kind, Key: "k1", Name: "laptop", At: time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC), Verified: true, Signature: []byte("s")}
	return rec
}

func databaseQuestion() question.Question {
	return question.Question{ID: "q1", Text: "Which database?", Header: "Database", Type: question.SingleChoice, Required: true, AllowCustom: true,
		Options: []question.Option{{ID: "postgresql", Label: "PostgreSQL"}, {ID: "mongodb", Label: "MongoDB", FollowUps: []question.Question{
			{ID: "q1.mongodb.1", Text: "Sharded?", Type: question.Boolean, Options: []question.Option{{ID: "true", Label: "Yes"}, {ID: "false", Label: "No"}}}}}}}
}

func featuresQuestion() question.Question {
	return question.Question{ID: "q2", Text: `Which <b>"features"</b>?`, Header: "Features", Type: question.MultiChoice, AllowCustom: true,
		Options: []question.Option{{ID: "a", Label: "A, B"}, {ID: "c", Label: "C"}}}
}

// A reply that is delivered late says how old it is: no older than its question, whatever the clock of the
// user's machine says.
func TestAge(t *testing.T) {
	const week = 7 * 24 * time.Hour
	now := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	answered := func(by question.By) question.Reply {
		return question.Reply{Answers: []question.Answer{{QuestionID: "q1", Selected: []string{"postgresql"}, By: by}}}
	}
	for _, tc := range []struct {
		name         string
		reply        question.Reply
		given, asked time.Duration // before now
		want         string
	}{
		{"a minute", answered(question.ByUser), time.Minute, week, ""},
		{"three hours", answered(question.ByUser), 3 * time.Hour, week, " The user answered this 3 h ago."},
		{"a program's", answered(question.ByProgram), 2 * time.Minute, week, " This was 2 min ago."},
		{"a dismissal", question.Reply{Dismissed: true}, time.Hour, week, " This was 1 h ago."},
		{"a discussion", question.Reply{Discuss: true, Note: "why?"}, time.Hour, week, " This was 1 h ago."},
		{"by a clock that is ahead", answered(question.ByUser), -time.Hour, week, ""},
		{"by a clock that is behind", answered(question.ByUser), 27 * time.Hour, 30 * time.Second, ""},
		{
			"older than its question", answered(question.ByUser), 27 * time.Hour, 90 * time.Minute,
			" The user answered this 1 h ago.",
		},
	} {
		outcome := desk.Outcome{Status: desk.StatusOf(tc.reply), Reply: &tc.reply, At: now.Add(-tc.given)}
		rec := ended(asked(databaseQuestion()), outcome)
		rec.CreatedAt = now.Add(-tc.asked)
		got, err := Format(rec, "text", now, noPath)
		if err != nil || !strings.HasSuffix(got, tc.want) || strings.Contains(got, " ago.") != (tc.want != "") {
			t.Errorf("%s: %s, %v", tc.name, got, err)
		}
	}
}

func noPath(question.File) string { return "" }

// TestFilesInResults: every form of a result names the files of an answer, and says where they are.
func TestFilesInResults(t *testing.T) {
	shot := question.File{Name: "shot.png", Type: "image/png", Size: 34567, SHA256: "aa"}
	log := question.File{Name: "log.txt", Type: "text/plain", Size: 12, SHA256: "bb"}
	rec := answeredBy(asked(databaseQuestion(), featuresQuestion()), "", question.Answer{QuestionID: "q1", Custom: "see there", Files: []question.File{shot, log}},
		question.Answer{QuestionID: "q2", Selected: []string{"a"}, Files: []question.File{log}})
	alone := answeredBy(asked(databaseQuestion()), "", question.Answer{QuestionID: "q1", Files: []question.File{shot}})
	path := func(f question.File) string {
		if f == log {
			return ""
		}
		return "/desk/files/" + f.Key()
	}
	const named = "shot.png (image/png, 34 kB), log.txt (text/plain, 12 B)"
	for _, tc := range []struct {
		format, want string
		rec          desk.Record
	}{
		{"headers", `{"answers":{"Database":"Other (custom: see there), ` + named + `","Features":"A, B, log.txt (text/plain, 12 B)"},"files":["/desk/files/aa.png","log.txt (text/plain, 12 B)","log.txt (text/plain, 12 B)"]}`, rec},
		{"headers", `{"answers":{"Database":"shot.png (image/png, 34 kB)"},"files":["/desk/files/aa.png"]}`, alone},
		{"ids", `{"answers":{"q1":"see there","q2":["a"]},"files":["/desk/files/aa.png","log.txt (text/plain, 12 B)","log.txt (text/plain, 12 B)"]}`, rec},
		{"ids", `{"answers":{"q1":"shot.png (image/png, 34 kB)"},"files":["/desk/files/aa.png"]}`, alone},
		{"text", `User has answered your questions: "Which database?"="shot.png (image/png, 34 kB)". You can now continue with the user's answers in mind. ` +
			`Attached: file: shot.png (image/png, 34 kB; /desk/files/aa.png).`, alone},
	} {
		got, err := Format(tc.rec, tc.format, time.Time{}, path)
		if err != nil || got != tc.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", tc.format, err, got, tc.want)
		}
	}
	r := NewResult(alone)
	r.AddFiles(alone.Reply(), path)
	got, err := json.Marshal(r)
	if want := `{"status":"answered","answers":{"Which database?":"shot.png (image/png, 34 kB)"},"summary":"User answered 1 question","message":"Attached: file: shot.png (image/png, 34 kB; /desk/files/aa.png)."}`; err != nil || string(got) != want {
		t.Errorf("structured: %v\ngot  %s\nwant %s", err, got, want)
	}
}

// The ids that the caller gave are in the result, also where one begins as the label or the place does.
func TestResponsesHaveTheCallersIDs(t *testing.T) {
	for in, want := range map[string]bool{
		`{"question":"Which?","options":["A","a"]}`:                                                       false,
		`{"question":"Which?","options":[{"id":"rest-api","label":"REST"},{"id":"grpc","label":"gRPC"}]}`: true,
		`{"question_id":"q1-api","question":"Which?","options":["REST","gRPC"]}`:                          true,
	} {
		c, err := DecodeAsk([]byte(in), mcpLimits())
		r := NewResult(answeredBy(desk.Record{Set: c.Set}, ""))
		if got := r.Responses != nil; err != nil || got != want {
			t.Errorf("%s: %v, %v", in, got, err)
		}
	}
}

func TestFormats(t *testing.T) {
	sameHeader := featuresQuestion()
	sameHeader.Header = "Database"
	rec := answeredBy(asked(databaseQuestion(), featuresQuestion()), "", question.Answer{QuestionID: "q1", Selected: []string{"mongodb"}}, question.Answer{QuestionID: "q1.mongodb.1", Selected: []string{"true"}}, question.Answer{QuestionID: "q2", Selected: []string{"a", "c"}, Custom: "mine"})
	same := answeredBy(asked(databaseQuestion(), sameHeader), "", question.Answer{QuestionID: "q1", Custom: "SQLite"}, question.Answer{QuestionID: "q2", Selected: []string{"c"}})
	shadow := question.Question{ID: "q2", Text: "Database", Type: question.Text}
	nameless := answeredBy(asked(databaseQuestion(), shadow), "",
		question.Answer{QuestionID: "q1", Custom: "SQLite"}, question.Answer{QuestionID: "q2", Custom: "orders"})
	dismissed := ended(asked(databaseQuestion()), desk.Outcome{Status: desk.Dismissed, Reply: &question.Reply{Dismissed: true, Reason: "too early"}})
	discussed := ended(asked(databaseQuestion(), featuresQuestion()), desk.Outcome{Status: desk.Discuss, Reply: &question.Reply{Discuss: true, Note: "Why a database?", Answers: []question.Answer{
		{QuestionID: "q1", Selected: []string{"mongodb"}, Note: "for now"}, {QuestionID: "q2", Note: "which?"},
	}}})
	beside := ended(asked(databaseQuestion()), desk.Outcome{Status: desk.Discuss, Reply: &question.Reply{Discuss: true, Answers: []question.Answer{{QuestionID: "q1", Custom: "SQLite", By: question.ByProgram}}}})
	withdrawn := ended(asked(databaseQuestion()), desk.Outcome{Status: desk.Cancelled, Surface: words.Shell, Reason: "not needed"})
	delegated := answeredBy(
		asked(databaseQuestion(), featuresQuestion()), "",
		question.Answer{QuestionID: "q1", Delegated: true}, question.Answer{QuestionID: "q2", Selected: []string{"c"}},
	)
	collected := databaseQuestion()
	collected.Collected = &question.Answer{QuestionID: "q1", Selected: []string{"postgresql"}, By: question.ByCaller}
	known := answeredBy(asked(collected, featuresQuestion()), "", question.Answer{QuestionID: "q2", Selected: []string{"c"}})
	const notNeeded = `{"answers":{},"note":"Question withdrawn. The reason: not needed"}`
	const tooEarly = `{"answers":{},"note":"User dismissed the question without answering. Their reason: too early"}`
	for _, tc := range []struct {
		format, want string
		rec          desk.Record
	}{
		{"headers", `{"answers":{"Database":"MongoDB","Sharded?":"Yes","Features":"A, B, C, Other (custom: mine)"}}`, rec},
		{"headers", `{"answers":{"Which database?":"Other (custom: SQLite)","Which <b>\"features\"</b>?":"C"}}`, same},
		{"headers", `{"answers":{"Which database?":"Other (custom: SQLite)","Database":"orders"}}`, nameless},
		{"questions", `{"answers":{"Which database?":"MongoDB","Sharded?":"Yes","Which <b>\"features\"</b>?":"A, B, C, mine"}}`, rec},
		{"indexes", `{"answers":{"question-0":"MongoDB","q1.mongodb.1":"Yes","question-1":"A, B,C,mine"}}`, rec},
		{"ids", `{"answers":{"q1":"mongodb","q1.mongodb.1":true,"q2":["a","c","mine"]}}`, rec},
		{"questions", `{"answers":{},"note":"User dismissed the question without answering."}`, ended(asked(databaseQuestion()), desk.Outcome{Status: desk.Dismissed, Reply: &question.Reply{Dismissed: true}})},
		{"questions", `{"answers":{"Which <b>\"features\"</b>?":"C"},"left_to_agent":["Which database?"]}`, delegated},
		{"headers", `{"answers":{"Database":"PostgreSQL","Features":"C"},"by_caller":["Database"]}`, known},
		{"ids", `{"answers":{"q1":"postgresql","q2":["c"]},"by_caller":["q1"]}`, known},
		{"headers", tooEarly, dismissed},
		{"headers", notNeeded, withdrawn},
		{"headers", `{"answers":{"Database":"MongoDB"},"notes":{"Database":"for now","Features":"which?"},"note":"Why a database?","discuss":true}`, discussed},
		{"ids", `{"answers":{"q1":"mongodb"},"notes":{"q1":"for now","q2":"which?"},"note":"Why a database?","discuss":true}`, discussed},
		{"headers", `{"answers":{"Database":"Other (custom: SQLite)"},"by_program":["Database"],"discuss":true}`, beside},
		{"text", `User wants to discuss this before answering. Answered so far by a program, not by the user: "Which database?"="SQLite". Talk about it with the user in your reply, assume nothing for what is not answered, and ask again once that is settled.`, beside},
	} {
		got, err := Format(tc.rec, tc.format, time.Time{}, noPath)
		if err != nil || got != tc.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", tc.format, err, got, tc.want)
		}
	}
	if _, err := Format(rec, "yaml", time.Time{}, noPath); err == nil {
		t.Error("an unknown format was accepted")
	}
}
