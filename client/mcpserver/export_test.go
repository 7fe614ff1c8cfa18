package mcpserver

const (
	MaxDirect   = maxDirect
	MaxMessage  = maxMessage
	NotifyPause = notifyPause
)
