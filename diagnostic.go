package wayfind

// Severity grades a [Diagnostic].
type Severity string

// The severities.
const (
	// SeverityError: a MUST of the specification is broken.
	SeverityError Severity = "error"
	// SeverityWarning: a SHOULD is broken, or the text is dangerous or doubtful.
	SeverityWarning Severity = "warning"
	// SeverityInfo: worth knowing, nothing is wrong.
	SeverityInfo Severity = "info"
)

// Diagnostic reports a publisher's mistake, or a guess of this library about what the
// publisher means. It is not an error: the document was read.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	// Code is stable: "<format>.<name>" for a format's own findings,
	// "<area>.<name>" for those of every document ("json.bom", "text.hidden").
	Code string `json:"code"`
	// Message is one sentence in lower case. Foreign text in it is quoted.
	Message string `json:"message"`
	// Source is the URL of the document; empty for the target itself.
	Source string `json:"source,omitempty"`
	// Pointer is an RFC 6901 JSON pointer into the document.
	Pointer string `json:"pointer,omitempty"`
	// Line counts from 1; 0 means that the line is unknown.
	Line int `json:"line,omitempty"`
	// TooLarge is set if a part of the document exceeds a limit of this program and was
	// not read.
	TooLarge *TooLarge `json:"tooLarge,omitempty"`
	// Spec is the rule that the publisher broke.
	Spec *SpecRef `json:"spec,omitempty"`
}
