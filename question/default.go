package question

// DefaultReply returns the reply that the declared defaults make, every answer
// marked as the timeout's and not the human's: silence is no consent. It is false
// where a required question that would be shown declares none, or where nothing
// declares one.
func (s *Set) DefaultReply() (Reply, bool) {
	var r Reply
	for { // a default may bring up follow-ups, whose defaults may bring up more
		grown := false
		for _, q := range s.Shown(r.Answers) {
			if r.Answer(q.ID) != nil {
				continue
			}
			a := Answer{QuestionID: q.ID, Selected: q.Defaults(), Custom: q.Default, By: ByTimeout}
			switch {
			case !a.Empty():
				r.Answers = append(r.Answers, a)
				grown = true
			case q.Required:
				return Reply{}, false
			}
		}
		if !grown {
			return r, len(r.Answers) > 0
		}
	}
}
