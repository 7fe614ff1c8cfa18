package parsetest

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Rules checks that a format explains its diagnostics: its rules obey the laws of [Run], each
// emitted code has a rule, and each rule has an emitted code, so that no rule explains an
// impossible code. The codes of [parse.ReaderRules] are known. They need not be emitted and
// must not be explained again. emitted contains whole codes ("menu.missing") as the format
// emits them for the documents under test, in any order, with duplicates. Codes with other
// prefixes are ignored. See [Codes].
func Rules(t *testing.T, f *parse.Format, emitted []string) {
	t.Helper()
	report(t, checkRules(f))
	report(t, checkExamples(f))
	report(t, checkEmitted(f, emitted))
}

// Explains is [Rules] for the codes in golden files, which [Codes] returns, and the codes in
// readings of documents that are too large for a golden file.
func Explains(t *testing.T, f *parse.Format, golden []byte, more ...*parse.Reading) {
	t.Helper()
	emitted := Codes(f, golden)
	for _, r := range more {
		for _, d := range r.Diagnostics {
			emitted = append(emitted, d.Code)
		}
	}
	Rules(t, f, emitted)
	report(t, checkShown(f, golden))
}

// checkExamples checks the values in the Examples of a format.
func checkExamples(f *parse.Format) []string {
	c := &checker{format: f}
	for _, member := range slices.Sorted(maps.Keys(f.Examples)) {
		if !json.Valid([]byte(f.Examples[member])) {
			c.fail("example of %q: %q is not JSON", member, f.Examples[member])
		}
	}
	return c.problems
}

// checkShown checks that the format has an example for each member that golden files report as
// missing, if the format has any examples.
func checkShown(f *parse.Format, golden []byte) []string {
	c := &checker{format: f}
	shown := regexp.MustCompile(regexp.QuoteMeta(f.Name) + `\.missing [^\n]*? member \\?"([^"\\]+)`)
	for _, match := range shown.FindAllSubmatch(golden, -1) {
		member := string(match[1])
		has := func(key string) bool { return key == member || strings.HasSuffix(key, "."+member) }
		if len(f.Examples) > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(f.Examples)), has) {
			c.fail("member %q can be missing and has no example", member)
		}
	}
	return c.problems
}

// Codes returns the codes of a format in golden files. The files show a diagnostic as text in
// quotes that begins with its severity and code: "warning menu.missing …".
func Codes(f *parse.Format, text []byte) []string {
	line := regexp.MustCompile(`"(?:error|warning|info) (` + regexp.QuoteMeta(f.Name) + `\.[a-z0-9_]+)[ :"]`)
	var codes []string
	for _, match := range line.FindAllSubmatch(text, -1) {
		codes = append(codes, string(match[1]))
	}
	return codes
}

// checkRules checks the texts of a format's rules.
func checkRules(f *parse.Format) []string {
	c := &checker{format: f}
	for i, rule := range f.Rules {
		switch {
		case rule.Code == "" || strings.Trim(rule.Code, "abcdefghijklmnopqrstuvwxyz0123456789_") != "":
			c.fail("rule %q: want lower-case letters, digits and underscores", rule.Code)
		case slices.ContainsFunc(parse.ReaderRules(), coded(rule.Code)):
			c.fail("rule %q repeats one of parse.ReaderRules", rule.Code)
		case i > 0 && f.Rules[i-1].Code >= rule.Code:
			c.fail("rule %q comes after %q: want each code once, in alphabetical order", rule.Code, f.Rules[i-1].Code)
		}
		if !slices.Contains(severities(), rule.Severity) {
			c.fail("rule %q: Severity %q", rule.Code, rule.Severity)
		}
		for _, said := range [...]struct{ field, text string }{{"Means", rule.Means}, {"Mend", rule.Mend}} {
			if err := checkSentences(said.text); err != nil {
				c.fail("rule %q: %s %s: %q", rule.Code, said.field, err, said.text)
			}
		}
	}
	return c.problems
}

// checkEmitted compares the rules with the emitted codes.
func checkEmitted(f *parse.Format, emitted []string) []string {
	c := &checker{format: f}
	var seen []string
	for _, code := range emitted {
		if name, ok := strings.CutPrefix(code, f.Name+"."); ok {
			seen = append(seen, name)
		}
	}
	slices.Sort(seen)
	seen = slices.Compact(seen)
	for _, name := range seen {
		if !explained(f, name) {
			c.fail("code %q has no rule", f.Name+"."+name)
		}
	}
	for _, rule := range f.Rules {
		if _, ok := slices.BinarySearch(seen, rule.Code); !ok {
			c.fail("rule %q: no document causes this code", rule.Code)
		}
	}
	return c.problems
}

// explained reports whether a code, without its prefix, has a rule.
func explained(f *parse.Format, name string) bool {
	return slices.ContainsFunc(f.Rules, coded(name)) || slices.ContainsFunc(parse.ReaderRules(), coded(name))
}

// coded returns a function that matches the rule of a code.
func coded(name string) func(parse.Rule) bool {
	return func(r parse.Rule) bool { return r.Code == name }
}

// severities returns the severities of rules and diagnostics. The gravest is first.
func severities() []wayfind.Severity {
	return []wayfind.Severity{wayfind.SeverityError, wayfind.SeverityWarning, wayfind.SeverityInfo}
}

// graver reports whether a diagnostic is graver than the rule for its code.
func graver(f *parse.Format, name string, s wayfind.Severity) bool {
	rules := slices.Concat(f.Rules, parse.ReaderRules())
	i := slices.IndexFunc(rules, coded(name))
	return i >= 0 && slices.Index(severities(), s) < slices.Index(severities(), rules[i].Severity)
}

// checkSentences returns an error if a text does not consist of sentences.
func checkSentences(text string) error {
	switch {
	case text == "":
		return errors.New("is empty")
	case strings.TrimSpace(text) != text || strings.ContainsAny(text, "\r\n\t") || strings.Contains(text, "  "):
		return errors.New("has spaces at its ends, several in a row, or line breaks")
	case !strings.HasSuffix(text, "."):
		return errors.New("does not end in a full stop")
	case strings.Count(text, "`")%2 != 0:
		return errors.New("has a backquote without its pair")
	}
	return nil
}
