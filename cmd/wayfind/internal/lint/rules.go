package lint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// lintRulesFile is the file of the working directory that switches rules off.
const lintRulesFile = ".wayfind-lint.yaml"

// failOnError is the word of --fail-on that counts if the flag is not there.
const failOnError = "error"

// ruleSwitch is a rule that is switched off.
type ruleSwitch struct{ code, reason string }

// lintOff is a rule that a document breaks and a file switches off.
type lintOff struct {
	// Code of the rule.
	Code string `json:"code"`
	// Reason that the file gives.
	Reason string `json:"reason"`
	// Count of the findings that are left out.
	Count int `json:"count"`

	findings []lintFinding
}

// failOn are the severities of --fail-on, in the words of its value.
func failOn() map[string]wayfind.Severity {
	return map[string]wayfind.Severity{failOnError: wayfind.SeverityError, "warning": wayfind.SeverityWarning, "note": wayfind.SeverityInfo}
}

func (l *linter) checkFailOn() error {
	if failOn()[l.failOn] == "" {
		return ui.Usagef("--fail-on %q: write error, warning or note", l.failOn)
	}
	return nil
}

// fails reports whether a document has a finding of the severity of --fail-on or of a
// graver one.
func (l *linter) fails(r *lintReport) bool {
	most := severityRank(failOn()[l.failOn])
	return slices.ContainsFunc(r.Diagnostics, func(f lintFinding) bool { return severityRank(f.Severity) <= most })
}

// readRules reads the file that switches rules off.
func (l *linter) readRules() error {
	name := l.rules
	if name == "" {
		name = lintRulesFile
	}
	body, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && l.rules == "" {
		return nil
	}
	if err == nil {
		l.off, err = parseSwitches(body)
	}
	if err != nil {
		return ui.Usagef("%s: %w", name, err)
	}
	return nil
}

// parseSwitches reads "rules", a mapping of codes. An unknown
// code or member is an error: a mistyped code would switch nothing off without a word.
func parseSwitches(body []byte) (list []ruleSwitch, err error) {
	root, err := (&parse.Input{Body: body}).YAML()
	if err != nil {
		return nil, err
	}
	if err := onlyMembers(root, "rules"); err != nil {
		return nil, err
	}
	for code, n := range root.Get("rules").Members() {
		if _, known := client.Explain(code, nil); !known {
			return nil, fmt.Errorf("line %d: there is no rule %q%s; docs/DIAGNOSTICS.md lists them", n.Line(), code, didYouMean(code))
		}
		if err := onlyMembers(n, "reason"); err != nil {
			return nil, fmt.Errorf("%s: %w", code, err)
		}
		reason, _ := n.Get("reason").Str()
		if reason == "" {
			return nil, fmt.Errorf("line %d: %s needs a reason", n.Line(), code)
		}
		list = append(list, ruleSwitch{code, reason})
	}
	return list, nil
}

// onlyMembers is the error of a value that is no mapping, or has a key of another name.
func onlyMembers(n parse.YAML, known string) error {
	if n.Kind() != parse.Object {
		return fmt.Errorf("line %d: a mapping with %q belongs here", n.Line(), known)
	}
	for name, value := range n.Members() {
		if name != known {
			return fmt.Errorf("line %d: there is no member %q; only %q is known", value.Line(), name, known)
		}
	}
	return nil
}

// didYouMean names the code that is nearest to a mistyped one.
func didYouMean(code string) string {
	var known []string
	for _, rule := range client.Rules() {
		known = append(known, rule.Code)
	}
	for _, f := range slices.Concat(formats.All(), formats.OnRequest()) {
		for _, rule := range slices.Concat(f.Rules, parse.ReaderRules()) {
			known = append(known, f.Name+"."+rule.Code)
		}
	}
	if near := text.Nearest(code, known); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}

// switchOff leaves the findings of rules out that a file switches off.
func (l *linter) switchOff(r *lintReport) {
	for _, off := range l.off {
		own := lintOff{Code: off.code, Reason: off.reason}
		r.Diagnostics = slices.DeleteFunc(r.Diagnostics, func(f lintFinding) bool {
			if f.Code == off.code {
				own.findings = append(own.findings, f)
			}
			return f.Code == off.code
		})
		if own.Count = len(own.findings); own.Count > 0 {
			r.Off = append(r.Off, own)
		}
	}
}

// notRead says why documents of a kind are not read; "" for a kind that is not known.
func notRead(kind string) string {
	if a := document.Absence(kind); a != nil {
		return fmt.Sprintf("%s: %s", a.Title, a.Reason)
	}
	list := formats.OnRequest()
	if i := slices.IndexFunc(list, func(f *parse.Format) bool { return f.Name == kind }); i >= 0 {
		return fmt.Sprintf("%s: read only where it is named; \"wayfind lint --format %s\" checks it", list[i].Title, kind)
	}
	return ""
}
