package words

// The texts of more than one room, to be given to T.
const (
	AskDismiss   = "Dismiss without answering?"
	DiscussFirst = "Discuss first"
	AskDiscuss   = "Discuss first?"
	NothingSent  = "Nothing was sent; the question stays open."
	Sent         = "Answer sent."
	Dismissed    = "Dismissed."
	Discussed    = "Sent: you want to discuss it first."
	AwaitsPause  = "Waiting for a pause in your typing; what is typed until then does not count."
	AgentAway    = "The agent is away; it will collect your answer."
	Reopened     = "The question is open again, with your former answers filled in; the agent gets the new ones when it comes back for them."
	LimitLifted  = "The limit is lifted: the agent may go on asking in this session."
)
