package question

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParseAnswers(t *testing.T) {
	comma := Set{Questions: []Question{
		{ID: "f", Text: "Features?", Type: MultiChoice, Options: []Option{
			{ID: "fast", Label: "Fast"}, {ID: "safe", Label: "Safe"}, {ID: "both", Label: "Fast, Safe"}, {ID: "cheap", Label: "Cheap, but slow"}}},
		{ID: "o", Text: "Extras?", Type: MultiChoice, AllowCustom: true, Options: []Option{{ID: "a", Label: "Alpha"}, {ID: "b", Label: "Beta"}}},
		{ID: "p", Text: "Port?", Type: Text},
	}}
	headed := Set{Questions: []Question{
		{ID: "d", Text: "Which database?", Header: "DB", Type: Text},
		{ID: "c", Text: "Cache?", Header: "Cache", Type: Boolean, Options: YesAndNo()},
		{ID: "i", Text: "Inner port?", Header: "Port", Type: Text},
		{ID: "o", Text: "Outer port?", Header: "Port", Type: Text},
		{ID: "e", Text: "Edge?", Header: "question-0", Type: Boolean, Options: YesAndNo()},
	}}
	worded := Set{Questions: []Question{
		{ID: "w", Text: "Delete?", Type: Boolean, Options: []Option{{ID: YesID, Label: "Yes, proceed"}, {ID: NoID, Label: "No, cancel"}}},
	}}
	for _, tc := range []struct {
		name, in, want string
		set            Set
	}{
		{"by text", `{"Which method?":"JWT"}`, "q1=jwt", auth()},
		{"by id, option by id", `{"q1":"jwt"}`, "q1=jwt", auth()},
		{"by place", `{"question-0":"jwt","question-1":true}`, "q1=jwt q4=true", auth()},
		{"list for one", `{"q1":["jwt"]}`, "q1=jwt", auth()},
		{"other", `{"q1":"SAML"}`, "q1=(SAML)", auth()},
		{"other as headers write it", `{"q1":"Other (custom: SAML)"}`, "q1=(SAML)", auth()},
		{"other as an object", `{"q1":{"other":"SAML"}}`, "q1=(SAML)", auth()},
		{"other that is the name of an option", `{"o":["Alpha",{"other":"Beta"}]}`, "o=a(Beta)", comma},
		{"no other is taken", `{"f":{"other":"slow"}}`, `answers["f"]: must be an array of any of: fast, safe, both, cheap, is {"other":"slow"}`, comma},
		{"list", `{"q2":["google","GitHub"]}`, "q2=google,github", auth()},
		{"joined", `{"q2":"Google,GitHub"}`, "q2=google,github", auth()},
		{"joined with a space", `{"q2":"google, github"}`, "q2=google,github", auth()},
		{"boolean", `{"q4":false}`, "q4=false", auth()},
		{"boolean in words", `{"q4":"Yes"}`, "q4=true", auth()},
		{"boolean in the asker's words", `{"w":"no, cancel"}`, "w=false", worded},
		{"a yes with a condition beside the asker's words", `{"w":"yes, but keep them"}`, `answers["w"]: "yes, but keep them" is none of the options; must be true or false`, worded},
		{"null is left open", `{"q4":null}`, "", auth()},
		{"label with a comma", `{"f":"Cheap, but slow,Fast"}`, "f=cheap,fast", comma},
		{"a doubt is refused", `{"f":"Fast, Safe"}`, `answers["f"]: "Fast, Safe" can be read in more than one way, because a label contains a comma; give a JSON array`, comma},
		{"an array leaves no doubt", `{"f":["Fast, Safe","cheap"]}`, "f=both,cheap", comma},
		{"options mixed with text", `{"o":"Alpha, mine"}`, "o=(Alpha, mine)", comma},
		{"options and text in an array", `{"o":["Alpha","mine, all mine"]}`, "o=a(mine, all mine)", comma},
		{"two texts", `{"o":["x","y"]}`, `answers["o"]: holds two free texts, "x" and "y"; one is allowed`, comma},
		{"outside the options", `{"f":["slow"]}`, `answers["f"]: "slow" is none of the options; must be an array of any of: fast, safe, both, cheap`, comma},
		{"too long for an option", `{"f":"` + strings.Repeat("x", 1001) + `"}`, `answers["f"]: must be at most 1000 characters long, is 1001`, comma},
		{"wrong type", `{"p":8080,"f":true}`, `answers["f"]: must be an array of any of: fast, safe, both, cheap, is true|answers["p"]: must be a string, is 8080`, comma},
		{"no such question", `{"zz":"x"}`, `answers["zz"]: no single question has this text, id or header`, comma},
		{"place out of range", `{"question-9":"x"}`,
			`answers["question-9"]: no single question has this text, id or header`, comma},
		{"by header", `{"Cache":"yes","DB":"x"}`, "c=true d=(x)", headed},
		{"a header before a place", `{"question-0":"no"}`, "e=false", headed},
		{"two of one header", `{"Port":"80"}`,
			`answers["Port"]: no single question has this text, id or header`, headed},
		{"responses", `[{"question_id":"q1","selected":[{"id":"oauth2","label":"OAuth 2.0"}]},{"question":"Log it?","response":true},{"question_id":"q2","selected":["github"],"text":"x"}]`, "q1=oauth2 q4=true q2=github(x)", auth()},
		{"response without an answer", `[{"question_id":"q1"}]`, "answers[0]: holds no answer: give selected, text or response", auth()},
		{"response left open", `[{"question_id":"q4","state":"unanswered","selected":[],"text":""}]`, "", auth()},
		{"response to nothing", `[{"question_id":"zz","text":"x"}]`, "answers[0]: no question has this question_id or text", auth()},
		{"neither", `"jwt"`, `answers: must be an object keyed by question, or an array of responses, is "jwt"`, auth()},
		{"responses of wrong types", `[7,{"question_id":7,"text":[]},{"question_id":"q1","selected":"jwt"},{"question_id":"q1","selected":[7]},{"question_id":"q4","response":{"yes":true}}]`,
			`answers[0]: must be an object, is 7|answers[1].question_id: must be a string, is 7|answers[1].text: must be a string, is []|answers[2].selected: must be an array of options, is "jwt"|answers[3].selected: 7 is none of the options: jwt, oauth2|answers[4].response: must be true or false, is {"yes":true}`, auth()},
		{"other, of a text question, is the text itself", `{"p":"Other (custom: x)"}`, "p=(Other (custom: x))", comma},
		{"nothing", "", "answers: must be an object keyed by question, or an array of responses, is not JSON", auth()},
		{"null", `null`, "answers: must be an object keyed by question, or an array of responses, is null", auth()},
		{"broken", `{"q1":`, "answers: is not valid JSON: unexpected end of JSON input", auth()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			reply, err := tc.set.ParseReply([]byte(tc.in), false)
			got := answersText(reply.Answers)
			if v, bad := errors.AsType[Violations](err); bad {
				var lines []string
				for _, x := range v {
					lines = append(lines, x.String())
				}
				got = strings.Join(lines, "|")
			}
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// A program marks the user's own words; any other text is a mistyped option.
func TestParseExactReply(t *testing.T) {
	set := auth()
	parse := func(answers string) ([]Answer, error) {
		r, err := set.ParseReply([]byte(answers), true)
		return r.Answers, err
	}
	for _, in := range []string{`{"q1":{"other":"SAML"}}`, `{"q1":[{"other":"SAML"}]}`, `{"q1":"Other (custom: SAML)"}`, `[{"question_id":"q1","text":"SAML"}]`} {
		if answers, err := parse(in); err != nil || len(answers) != 1 || answers[0].Custom != "SAML" {
			t.Errorf("%s: %+v, %v", in, answers, err)
		}
	}
	const want = "Validation failed\n- " + `answers["q1"]: "SAML" is none of the options; must be one of: jwt, oauth2; or {"other": "a text of the user's own"}`
	if _, err := parse(`{"q1":"SAML"}`); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if answers, err := parse(`{"q1":"jwt"}`); err != nil || answers[0].Selected[0] != "jwt" {
		t.Errorf("%+v, %v", answers, err)
	}
}

// What is parsed and passes Check passes it again unchanged; nothing panics.
func FuzzParseAnswers(f *testing.F) {
	for _, s := range []string{`{"q1":"jwt"}`, `{"q2":"Google,GitHub","q1":"oauth2"}`, `[{"question_id":"q1","text":"x"}]`, `{"question-1":true}`, `[]`, `{`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		s := auth()
		reply, err := s.ParseReply([]byte(in), false)
		if err != nil {
			return
		}
		once, err := s.Check(reply)
		if err != nil {
			return
		}
		twice, err := s.Check(once)
		if err != nil || answersText(once.Answers) != answersText(twice.Answers) {
			t.Fatalf("%s: %v then %v (%v)", in, once, twice, err)
		}
	})
}

// A whole reply has words beside its answers, and may ask to discuss the set
// first; what could be either is read as answers.
func TestParseReply(t *testing.T) {
	s := Set{Questions: []Question{
		{ID: "db", Text: "Which database?", Type: SingleChoice, Options: []Option{{ID: "pg", Label: "PostgreSQL"}, {ID: "my", Label: "MySQL"}}},
		{ID: "note", Text: "Anything else?", Type: Text},
	}}
	answer := Answer{QuestionID: "db", Selected: []string{"pg"}}
	noted := answer
	noted.Note = "for now"
	for _, tc := range []struct {
		data string
		want Reply
		err  string
	}{
		{`{"db":"pg"}`, Reply{Answers: []Answer{answer}}, ""},
		{`{"answers":{"db":"pg"},"notes":{"question-0":"for now"}}`, Reply{Answers: []Answer{noted}}, ""},
		{`{"discuss":true}`, Reply{Discuss: true}, ""},
		{`{"files":{"note":[{"name":"a.png","type":"image/png","size":3,"sha256":"aa"}]}}`, Reply{Answers: []Answer{{QuestionID: "note", Files: []File{{"a.png", "image/png", 3, "aa"}}}}}, ""},
		{`{"files":{"note":"a.png"}}`, Reply{}, "files: must be an object of arrays"},
		{`{"discuss":true,"notes":{"Which database?":"for now"}}`, Reply{Discuss: true, Answers: []Answer{{QuestionID: "db", Note: "for now"}}}, ""},
		{`{"note":"x"}`, Reply{Answers: []Answer{{QuestionID: "note", Custom: "x"}}}, ""},
		{`[{"question_id":"db","selected":["pg"],"note":"for now"},{"question_id":"note","state":"unanswered","note":"later"}]`, Reply{Answers: []Answer{noted, {QuestionID: "note", Note: "later"}}}, ""},
		{`{"discuss":"yes","notes":{"x":"y"}}`, Reply{},
			`notes["x"]: no single question has this text, id or header` + "\n" +
				`- discuss: must be true or false, is "yes"`},
		{`{"answers":"pg"}`, Reply{}, "must be an object keyed by question"},
		{`{"answers":{"db":"Oracle"},"discuss":true}`, Reply{}, `answers["db"]`},
	} {
		got, err := s.ParseReply([]byte(tc.data), false)
		switch {
		case tc.err != "":
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: %v, want %s", tc.data, err, tc.err)
			}
		case err != nil || !reflect.DeepEqual(got, tc.want):
			t.Errorf("%s: %+v, %v; want %+v", tc.data, got, err, tc.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{`7`, `7`},
		{` [ 1, 2 ]`, `[1,2]`},
		{`"` + strings.Repeat("x", 38) + `"`, `"` + strings.Repeat("x", 38) + `"`},
		{`"` + strings.Repeat("x", 39) + `"`, `"` + strings.Repeat("x", 38) + `…`},
		{`[` + strings.Repeat("1,", 40) + `1]`, "an array"},
		{`{"a":"` + strings.Repeat("x", 40) + `"}`, "an object"},
		{"\"\u009b2J\u202e\"", `"[U+009B]2J[U+202E]"`},
		{``, "not JSON"},
	} {
		if got := Describe(json.RawMessage(tc.in)); got != tc.want {
			t.Errorf("Describe(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}
