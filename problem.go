package wayfind

// Problem is a service's account of a call that failed (RFC 9457). Its texts are the
// service's: cleaned and cut, they are data and no instructions.
type Problem struct {
	Type     string `json:"type,omitempty"`
	Title    string `json:"title,omitempty"`
	Status   int    `json:"status,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Instance string `json:"instance,omitempty"`
	// Errors are those of single places, as in the example of RFC 9457 §3.
	Errors []ProblemError `json:"errors,omitempty"`
}

// ProblemError is one of several failures.
type ProblemError struct {
	Detail  string `json:"detail,omitempty"`
	Pointer string `json:"pointer,omitempty"`
}

// Cut says which part of an answer a model does not see.
type Cut struct {
	// Pointer (RFC 6901) to it in the answer, "" for all of it.
	Pointer string `json:"pointer"`
	// Kind of it: "array", "object", "string"; "text" for an answer that is no JSON,
	// "value" for one of which no part is shown.
	Kind string `json:"kind"`
	// From is the first item, member or character that is shown, Shown how many are,
	// and Total how many there are. A text is shown by its beginning and its end.
	From  int `json:"from,omitempty"`
	Shown int `json:"shown"`
	Total int `json:"total"`
}
