package words

// The texts of more than one room, to be passed to T.
const (
	AskDismiss      = "Dismiss without answering?"
	AskDiscuss      = "Discuss first?"
	NothingSent     = "Nothing was sent; the question stays open."
	Uncertain       = "You left before your reply was stored: it may still count. mcp-askuser history shows it then."
	Sent            = "Answer sent."
	Dismissed       = "Dismissed."
	Discussed       = "Sent: you want to discuss it first."
	AwaitsPause     = "Waiting for a pause in your typing; what is typed until then does not count."
	AgentNotWaiting = "The agent is not waiting; it will get your answer."
	Reopened        = "The question is open again; the agent gets the new answers when it comes back for them."
	LeftToAgent     = "(left to the agent)"
	LimitLifted     = "The limit is lifted: the agent may go on asking in this session."
)

// The reasons that rooms below this one put into records, in English.
const (
	ByAbsence  = "nobody came back for the answer"
	ByClient   = "cancelled by the client" // its own words may follow
	ByCommand  = "interrupted at the command line"
	ByOmission = "left open there" // in a host's dialog
)

// What package mirror asks, and offers, for a permission. Records have it in
// English; see [Language.Shown].
const (
	Permission   = "Permission"
	AllowTool    = "Allow %[1]s to use %[2]s?"
	AllowOnce    = "Allow once"
	Deny         = "Deny"
	AllowPlan    = "Does Claude Code go on with this plan?"
	GoOn         = "Go on"
	KeepPlanning = "Keep planning"
)
