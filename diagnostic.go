package wayfind

// Severity grades a [Diagnostic].
type Severity string

// These are the severities.
const (
	// SeverityError means that a MUST of the specification is broken.
	SeverityError Severity = "error"
	// SeverityWarning means that a SHOULD is broken, or that the text is dangerous or doubtful.
	SeverityWarning Severity = "warning"
	// SeverityInfo means that nothing is wrong, but the information may be useful.
	SeverityInfo Severity = "info"
)

// Diagnostic reports a publisher's mistake, or a guess of this library about the publisher's
// intention. It is not an error: the document was read.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	// Code is stable: "<format>.<name>" for the findings of a format, and "<area>.<name>" for
	// findings in any document ("json.bom", "text.hidden").
	Code string `json:"code"`
	// Message is one sentence in lower case. Foreign text in it is quoted.
	Message string `json:"message"`
	// Source is the URL of the document, or empty for the target itself.
	Source string `json:"source,omitempty"`
	// Pointer is an RFC 6901 JSON pointer into the document.
	Pointer string `json:"pointer,omitempty"`
	// Line is the number of the line, from 1. It is 0 if the line is unknown.
	Line int `json:"line,omitempty"`
	// TooLarge is set if a part of the document exceeds a limit of this program and was
	// not read.
	TooLarge *TooLarge `json:"tooLarge,omitempty"`
	// Spec is the rule that the publisher broke.
	Spec *SpecRef `json:"spec,omitempty"`
}
