package parse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// Rule is one possible fault of a document, with its explanation. A diagnostic
// is reported by its Rule, so every code has an explanation for publishers.
//
// A format declares its rules as package variables and lists them in
// [Format].Rules.
type Rule struct {
	// Code is stable: "base_url_slash". The name of the format is put in front of it. A code with
	// a dot, such as "json.bom", belongs to no format and is complete.
	Code string
	// Severity is the highest severity that the rule is reported with.
	Severity wayfind.Severity
	// Section is the section of the specification. It is empty if it varies: see [Rule.At].
	Section string
	// Means explains the fault in one sentence or two, and Mend tells the
	// publisher how to correct it.
	Means, Mend string

	beyond *wayfind.TooLarge
}

// At returns the rule with another section of the specification.
func (r Rule) At(section string) Rule {
	r.Section = section
	return r
}

// AsWarning returns the rule as a warning, for a case that is not an error: a SHOULD is
// broken, a text is dangerous, or something had to be guessed.
func (r Rule) AsWarning() Rule {
	r.Severity = wayfind.SeverityWarning
	return r
}

// AsInfo returns the rule as an info, for a case that is worth knowing although it is not a
// fault.
func (r Rule) AsInfo() Rule {
	r.Severity = wayfind.SeverityInfo
	return r
}

// Beyond returns the rule for a part of a document that is not read because there are more
// than limit of something, "operations" for example. size is their number, or 0 if they were
// not counted.
func (r Rule) Beyond(of string, size, limit int) Rule {
	r.beyond = &wayfind.TooLarge{Of: of, Size: int64(size), Limit: int64(limit)}
	return r
}

// needed returns the rule for a missing member, which is an error with Must only.
func (r Rule) needed(need Need) Rule {
	if need == Must {
		return r
	}
	return r.AsWarning()
}

// Diagnostic returns a diagnostic of the rule about the document at source, a URL. Write
// foreign text among the arguments with %q. It panics if the rule lacks its code, severity or
// explanation.
func (r Rule) Diagnostic(source, format string, args ...any) wayfind.Diagnostic {
	if r.Code == "" || r.Severity == "" || r.Means == "" || r.Mend == "" {
		panic(fmt.Sprintf("parse: the rule %q has no severity or no explanation", r.Code))
	}
	return wayfind.Diagnostic{Severity: r.Severity, Code: r.Code, Source: source, Message: fmt.Sprintf(format, args...), TooLarge: r.beyond}
}

// Example returns the member that a diagnostic "<format>.missing" names, with a value of the
// format's Examples, as it can be written into the document: `"version": "1.0"`. It returns ""
// for other diagnostics, and if there is no example.
func (f *Format) Example(d wayfind.Diagnostic) string {
	_, about, _ := strings.Cut(d.Message, " member ")
	quoted, err := strconv.QuotedPrefix(about)
	if err != nil || d.Code != ruleMissing.whole(f.Name) {
		return ""
	}
	name, _ := strconv.Unquote(quoted)
	parent := strings.TrimRight(d.Pointer, "/0123456789")
	parent = parent[strings.LastIndexByte(parent, '/')+1:]
	for _, key := range []string{parent + "." + name, name} {
		if value := f.Examples[key]; value != "" {
			return quoted + ": " + value
		}
	}
	return ""
}

// whole returns the code with the name of the format that reports it.
func (r Rule) whole(format string) string {
	if strings.Contains(r.Code, ".") {
		return r.Code
	}
	return format + "." + r.Code
}

// ReaderRule returns the rule of [ReaderRules] with a code, for a format that reports it too.
// It panics if there is no such rule.
func ReaderRule(code string) Rule {
	list := ReaderRules()
	i := slices.IndexFunc(list, func(r Rule) bool { return r.Code == code })
	if i < 0 {
		panic(fmt.Sprintf("parse: no rule of readers has the code %q", code))
	}
	return list[i]
}
