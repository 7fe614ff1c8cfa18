package call

import "encoding/json"

// InputRequest is what a tool wants to know while it is called. Its strings are
// cleaned text of strangers: show them as theirs. A secret must never be given.
type InputRequest struct {
	Principal, Tool, Domain string
	// Message to the person.
	Message string
	// Schema of the answer.
	Schema json.RawMessage
}

// InputAnswer answers an [InputRequest].
type InputAnswer struct {
	// Action is "accept", "decline" or "cancel".
	Action string
	// Content matches the schema, with "accept".
	Content json.RawMessage
}
