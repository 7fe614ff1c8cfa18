// Package served judges how a document was served: the header of the answer, apart from the
// content.
package served

import (
	"net/http"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Answer is how a document came.
type Answer struct {
	// URL that was requested.
	URL string
	// Format that read the document, nil for none, and its dialect.
	Format  *parse.Format
	Dialect string
	// Header of the answer. A cache may have taken Set-Cookie out.
	Header http.Header
	// SetsCookie: the answer had Set-Cookie.
	SetsCookie bool
	// Redirects before it.
	Redirects int
	// Size of the decoded content in bytes, 0 if it is not known.
	Size int
	// Decoded: the content came compressed. Header has no Content-Encoding then.
	Decoded bool
}

// check is one rule about an answer.
type check struct {
	rule parse.Rule
	// claims are the statements of formats. Without any, the rule holds for all formats,
	// and its Section is in an RFC.
	claims []claim
	// broken says how an answer breaks the rule, "" if it does not.
	broken func(a *Answer) string
}

// claim is the statement of the rule in the specification of a format.
type claim struct {
	format string
	// dialects that the statement is about, nil for all.
	dialects []string
	section  string
	severity wayfind.Severity
}

// Judge returns the rules that an answer breaks, in alphabetical order of their codes.
func Judge(a *Answer) (list []wayfind.Diagnostic) {
	for _, c := range checks() {
		spec, severity := c.statement(a)
		if spec == nil {
			continue
		}
		if why := c.broken(a); why != "" {
			d := c.rule.Diagnostic(a.URL, "%s", why)
			d.Spec, d.Severity = spec, severity
			list = append(list, d)
		}
	}
	return list
}

// statement is the text that states the rule for an answer, nil for none.
func (c *check) statement(a *Answer) (*wayfind.SpecRef, wayfind.Severity) {
	if c.claims == nil {
		return rfcOf(&c.rule), c.rule.Severity
	}
	for _, by := range c.claims {
		if a.is(by.format) && (by.dialects == nil || slices.Contains(by.dialects, a.Dialect)) {
			spec := a.Format.Spec
			spec.Section = by.section
			return &spec, by.severity
		}
	}
	return nil, ""
}

// rfcOf is the RFC that states a rule.
func rfcOf(rule *parse.Rule) *wayfind.SpecRef {
	title, section, _ := strings.Cut(rule.Section, " §")
	return &wayfind.SpecRef{Title: title, Section: "§" + section, URL: "https://www.rfc-editor.org/rfc/rfc" + strings.TrimPrefix(title, "RFC ")}
}

// is reports whether a format of this name read the document.
func (a *Answer) is(format string) bool { return a.Format != nil && a.Format.Name == format }

// Rules are the rules, in alphabetical order of their codes.
func Rules() []parse.Rule {
	return []parse.Rule{ruleChain, ruleCoding, ruleCompression, ruleCookie, ruleCORS, ruleExpiry, ruleFreshness, ruleHead, ruleNoStore, ruleRedirect, ruleTLS, ruleValidator, ruleVary}
}
