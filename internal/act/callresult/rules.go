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
	ruleUndeclared = parse.Rule{Code: "answer.undeclared", Severity: wayfind.SeverityWarning,
		Means: "The answer to a call has a media type that no document of the service declares, such as a page of HTML in place of JSON.",
		Mend:  "Declare the media type, or answer with a status that says what went wrong."}
	ruleLoginPage = parse.Rule{Code: "answer.login_page", Severity: wayfind.SeverityWarning,
		Means: "The answer to a call is a page that asks for a password, with a status of success.",
		Mend:  "Answer with 401 and a challenge, and describe the authentication."}
	rulePartial = parse.Rule{Code: "answer.partial", Severity: wayfind.SeverityWarning,
		Means: "The answer to a call is a part (206), and no part was asked for.",
		Mend:  "Answer with the whole, or with pages."}
)

// Rules returns the rules about answers.
func Rules() []parse.Rule {
	return []parse.Rule{ruleMalformed, ruleMismatch, ruleUndeclared, ruleLoginPage, rulePartial}
}

// Diagnostics returns the differences between an answer and its description. source is the URL
// of the answer.
func (s *Shown) Diagnostics(source string) (list []wayfind.Diagnostic) {
	if s.Malformed {
		list = append(list, ruleMalformed.Diagnostic(source, "the answer is not %s", s.Media))
	}
	if s.Undeclared {
		list = append(list, ruleUndeclared.Diagnostic(source, "the answer is %s", s.Media))
	}
	if s.Login {
		list = append(list, ruleLoginPage.Diagnostic(source, "the answer is a page that asks for a password"))
	}
	if s.Partial {
		list = append(list, rulePartial.Diagnostic(source, "the answer is a part of a longer one"))
	}
	if s.Mismatch != nil {
		d := ruleMismatch.Diagnostic(source, "%s (%s)", s.Mismatch.Expected, s.Mismatch.Rule)
		d.Pointer = s.Mismatch.Pointer
		list = append(list, d)
	}
	return list
}
