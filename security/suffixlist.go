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
	"github.com/wayfindhq/wayfind/internal/text"
)

// SuffixList is a Public Suffix List: it says which hosts are one site. Nil is
// the list that this module brings along. It cannot be changed, and may be used
// concurrently. Make one with [ParseSuffixList].
type SuffixList struct {
	rules   suffixRules
	version string
	digest  string // of the rules
}

// maxSuffixList is the longest list that is read, in bytes: more than ten times
// that of 2026.
const maxSuffixList = 4 << 20

// suffixRuleError is the cause of an error of [ParseSuffixList].
type suffixRuleError struct {
	// Line counts from 1.
	Line int
	// Rule as it is written, escaped and cut.
	Rule string
	// Err is the fault of the rule.
	Err error
}

// Error names the line, the rule and its fault.
func (e *suffixRuleError) Error() string {
	return fmt.Sprintf("line %d: rule %q: %v", e.Line, e.Rule, e.Err)
}

// ParseSuffixList reads a list in the format of publicsuffix.org
// (https://github.com/publicsuffix/list/wiki/Format): one rule a line, in
// A-labels or U-labels, "//" before comments, all sections alike. The list
// takes the place of the bundled one, so it must be whole: a list without its
// private section makes one site of all customers of a platform, and hosts
// under a suffix that it lacks are a site each.
//
// Errors are *wayfind.Error with Op "suffix_list": of kind wayfind.ErrInvalid
// with CodeSchema for a rule that is none, with its line and the reason, and
// for a list without rules, with CodeInvalidUTF8, and CodeTooLarge beyond 4 MiB; an
// error of r has neither kind nor code.
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

// Version is the list's own name of its version, in the comment "VERSION:" that
// publicsuffix.org puts into it; it begins with the date: "2026-08-19". Empty
// when the list does not say.
func (l *SuffixList) Version() string {
	if l == nil {
		return listVersion(overlay)
	}
	return l.version
}

// size is the number of rules in the list.
func (l *SuffixList) size() int {
	return len(l.rules.plain) + len(l.rules.wildcard) + len(l.rules.exception)
}

// listVersion finds the comment with the version of a list.
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

// canonicalRule brings a rule into the form of canonical hosts, or returns its
// fault.
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

// ruleName is the canonical spelling of the name in a rule. Unlike a host it may
// have one label, and be under a special-use name.
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

// digest identifies the rules, independently of order and comments.
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
