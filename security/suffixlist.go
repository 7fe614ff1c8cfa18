package security

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// SuffixList is a Public Suffix List: it decides which hosts are one site. Nil is the list that
// is bundled with this module. A SuffixList cannot be changed, and may be used concurrently.
// Create one with [ParseSuffixList].
type SuffixList struct {
	rules   suffixRules
	version string
	digest  string // of the rules
}

// maxSuffixList is the maximum length of a list, in bytes: more than ten times the length of
// the list of 2026.
const maxSuffixList = 4 << 20

// suffixRuleError is the cause of an error of [ParseSuffixList].
type suffixRuleError struct {
	// Line is the number of the line, starting at 1.
	Line int
	// Rule is the rule as it is written, escaped and shortened.
	Rule string
	// Err is the error in the rule.
	Err error
}

// Error returns a text with the line, the rule and its error.
func (e *suffixRuleError) Error() string {
	return fmt.Sprintf("line %d: rule %q: %v", e.Line, e.Rule, e.Err)
}

// ParseSuffixList reads a list in the format of publicsuffix.org
// (https://github.com/publicsuffix/list/wiki/Format): one rule per line, in A-labels or
// U-labels, and "//" before comments. All sections are treated alike. The list replaces the
// bundled one, so it must be complete: if a list lacks the private section, all customers of a
// platform become one site, and if it lacks a suffix, every host under that suffix becomes a
// site of its own.
//
// Errors are *wayfind.Error with Op "suffix_list". They are of kind wayfind.ErrInvalid with
// CodeSchema for an invalid rule, with its line and the reason, and for a list without rules.
// They have CodeInvalidUTF8 if the list is not UTF-8, and CodeTooLarge if it is longer than 4
// MiB. An error of r has neither kind nor code.
func ParseSuffixList(r io.Reader) (*SuffixList, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSuffixList+1))
	switch {
	case err != nil:
		return nil, wayfind.NewError("suffix_list", "", "", err)
	case len(text) > maxSuffixList:
		return nil, suffixListError(wayfind.CodeTooLarge, fmt.Errorf("it is longer than %d bytes", maxSuffixList))
	case !utf8.Valid(text):
		return nil, suffixListError(wayfind.CodeInvalidUTF8, errors.New("it is not UTF-8"))
	}
	rules, bad := readRules(string(text), canonicalRule)
	if bad != nil {
		return nil, suffixListError(wayfind.CodeSchema, bad)
	}
	l := &SuffixList{rules: rules, version: listVersion(string(text)), digest: rules.digest()}
	if l.size() == 0 {
		return nil, suffixListError(wayfind.CodeSchema, errors.New("it has no rules"))
	}
	return l, nil
}

func suffixListError(code wayfind.Code, err error) error {
	return wayfind.NewError("suffix_list", "", code, err)
}

// Version returns the version in the comment "VERSION:" that publicsuffix.org writes into the
// list. It begins with the date: "2026-08-19". It is empty if the list has no such comment.
func (l *SuffixList) Version() string {
	if l == nil {
		return listVersion(overlay)
	}
	return l.version
}

// size returns the number of rules in the list.
func (l *SuffixList) size() int {
	return len(l.rules.plain) + len(l.rules.wildcard) + len(l.rules.exception)
}

// listVersion returns the version from the comment of a list.
func listVersion(list string) string {
	for line := range strings.Lines(list) {
		comment, isComment := strings.CutPrefix(strings.TrimSpace(line), "//")
		version, found := strings.CutPrefix(strings.TrimSpace(comment), "VERSION:")
		if isComment && found {
			clean, _ := text.Clean(strings.TrimSpace(version), false, 64)
			return clean
		}
	}
	return ""
}

// canonicalRule converts a rule into the form of canonical hosts, or returns an error.
func canonicalRule(rule string) (canon string, err error) {
	kind := ""
	switch {
	case strings.HasPrefix(rule, "!"):
		kind = "!"
	case strings.HasPrefix(rule, "*."):
		kind = "*."
	}
	name := rule[len(kind):]
	if strings.ContainsAny(name, "*!") {
		return "", errors.New("\"*\" stands for the first label only, and \"!\" before it all")
	}
	ascii, ok := ruleName(name)
	if !ok {
		return "", errors.New("it is not a domain name")
	}
	if kind == "!" && !strings.Contains(ascii, ".") {
		return "", errors.New("an exception needs a parent")
	}
	return kind + ascii, nil
}

// ruleName returns the canonical spelling of the name in a rule. Unlike a host, the name may
// have only one label, and may be under a special-use name.
func ruleName(name string) (canon string, ok bool) {
	if code, _ := checkHostText(name); code != "" {
		return "", false
	}
	canon, plain := plainASCII(name)
	if !plain {
		ascii, err := strictIDNA.ToASCII(name)
		if err != nil || losesLabel(name, ascii) {
			return "", false
		}
		canon = ascii
	}
	for label := range strings.SplitSeq(canon, ".") {
		if label == "" || len(label) > maxLabel {
			return "", false
		}
	}
	return canon, len(canon) <= maxName
}

// digest returns a hash of the rules that does not depend on their order or on comments.
func (r suffixRules) digest() string {
	var lines []string
	for kind, names := range map[string]map[string]bool{"": r.plain, "*.": r.wildcard, "!": r.exception} {
		for name := range names {
			lines = append(lines, kind+name)
		}
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}
