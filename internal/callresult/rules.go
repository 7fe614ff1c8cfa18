package callresult

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

var (
	ruleMalformed = parse.Rule{Code: "answer.malformed", Severity: wayfind.SeverityWarning,
		Means: "The answer to a call is not what its Content-Type says.",
		Mend:  "Declare the media type that the body has. JSON must be UTF-8, and no object may have a name twice."}
	ruleMismatch = parse.Rule{Code: "answer.mismatch", Severity: wayfind.SeverityWarning,
		Means: "The answer to a call is not what the schema of the capability's output says.",
		Mend:  "Correct the schema, or what the service answers."}
)

// Rules are the rules about answers.
func Rules() []parse.Rule { return []parse.Rule{ruleMalformed, ruleMismatch} }

// Diagnostics say how an answer, which came from a URL, differs from its description.
func (s *Shown) Diagnostics(source string) (list []wayfind.Diagnostic) {
	if s.Malformed {
		list = append(list, ruleMalformed.Diagnostic(source, "the answer is not %s", s.Media))
	}
	if s.Mismatch != nil {
		d := ruleMismatch.Diagnostic(source, "%s (%s)", s.Mismatch.Expected, s.Mismatch.Rule)
		d.Pointer = s.Mismatch.Pointer
		list = append(list, d)
	}
	return list
}
