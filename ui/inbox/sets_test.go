package inbox

import (
	"mcp-askuser/question"
	"mcp-askuser/question/questiontest"
)

// The samples of all rooms.
var (
	database = questiontest.Database
	name     = questiontest.Name
	deploy   = questiontest.Deploy
	chinese  = questiontest.Chinese
	long     = questiontest.Long
)

func taken(q question.Question, ids ...string) question.Answer {
	return question.Answer{QuestionID: q.ID, Selected: ids, By: question.ByUser}
}

func answerText(id, text string) question.Answer {
	return question.Answer{QuestionID: id, Custom: text, By: question.ByUser}
}
