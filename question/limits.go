package question

// Limits are the sizes a set must keep (A5). Characters are what a reader
// counts; see [Count].
type Limits struct {
	Questions   int // most questions in a set, and below one option
	Options     int // most options of a question; the least is MinOptions
	Question    int // most characters of a question
	Header      int // most characters of a header
	Label       int // most characters of an option's label
	Description int // most characters of an option's description
	// Lenient accepts longer headers, labels and descriptions: they are kept
	// whole and shown shortened. Agents lose whole turns to refusals over them.
	Lenient bool
}

// MinOptions is the least number of options of a choice.
const MinOptions = 2

// DefaultLimits are the limits of A5, all of them enforced.
func DefaultLimits() Limits {
	return Limits{Questions: 4, Options: 4, Question: 500, Header: 12, Label: 50, Description: 200}
}
