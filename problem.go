package wayfind

// Problem is a service's description of a failed call (RFC 9457). The texts are from the
// service, cleaned and cut. They are data, not instructions.
type Problem struct {
	Type     string `json:"type,omitempty"`
	Title    string `json:"title,omitempty"`
	Status   int    `json:"status,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Instance string `json:"instance,omitempty"`
	// Errors are the failures at single places, as in the example of RFC 9457 §3.
	Errors []ProblemError `json:"errors,omitempty"`
}

// ProblemError is one of several failures.
type ProblemError struct {
	Detail  string `json:"detail,omitempty"`
	Pointer string `json:"pointer,omitempty"`
}

// Cut describes a part of an answer that a model does not see.
type Cut struct {
	// Pointer is the RFC 6901 pointer to the part in the answer, or "" for the whole answer.
	Pointer string `json:"pointer"`
	// Kind is the kind of the part: "array", "object" or "string"; "text" for an answer that is
	// not JSON; "value" if no part of the answer is shown.
	Kind string `json:"kind"`
	// From is the first item, member or character that is shown, Shown the number of shown
	// ones, and Total their total number. The beginning and the end of a text are shown.
	From  int `json:"from,omitempty"`
	Shown int `json:"shown"`
	Total int `json:"total"`
}
