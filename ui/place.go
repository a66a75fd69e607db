package ui

import "mcp-askuser/question"

// Place names a surface as the human knows it, after a verb: " in a terminal".
func Place(surface string) string {
	switch surface {
	case "":
		return ""
	case "elicit":
		return " in the agent's own form"
	case "tty", "plain":
		return " in a terminal"
	case "pane":
		return " in a pane"
	case "inbox":
		return " in the inbox"
	case "web":
		return " on the web page"
	}
	return " (" + question.Line(surface) + ")"
}
