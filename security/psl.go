package security

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// overlay has the rules of a newer Public Suffix List that the list inside
// golang.org/x/net/publicsuffix lacks, in the syntax of the list, with
// A-labels. The tests generate it: see its first lines.
//
//go:embed psl/overlay.dat
var overlay string

// platforms has suffix rules for platforms that no list contains.
//
//go:embed psl/platforms.dat
var platforms string

var newerRules = sync.OnceValue(func() suffixRules {
	rules, _ := readRules(overlay+"\n"+platforms, func(rule string) (string, error) { return rule, nil })
	return rules
})

// suffixRules are rules of a Public Suffix List
// (https://github.com/publicsuffix/list/wiki/Format), without the default rule "*".
type suffixRules struct {
	plain, wildcard, exception map[string]bool
}

// readRules reads a list line by line, and each line up to its first blank. The function form
// converts a rule into the form of canonical hosts, or returns an error. The error of readRules
// is the first of these errors.
func readRules(list string, form func(rule string) (canon string, err error)) (suffixRules, *suffixRuleError) {
	rules := suffixRules{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	number := 0
	for line := range strings.Lines(list) {
		number++
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "//") {
			continue
		}
		rule, err := form(fields[0])
		if err != nil {
			return suffixRules{}, &suffixRuleError{Line: number, Rule: text.Clip(fields[0]), Err: err}
		}
		rules.add(rule)
	}
	return rules, nil
}

func (r suffixRules) add(rule string) {
	if name, ok := strings.CutPrefix(rule, "*."); ok {
		r.wildcard[name] = true
	} else if name, ok := strings.CutPrefix(rule, "!"); ok {
		r.exception[name] = true
	} else {
		r.plain[rule] = true
	}
}

// match returns the public suffix of a canonical name, or "" if no rule matches. It also
// reports whether the suffix is from an exception rule; these rules take precedence over all
// others.
func (r suffixRules) match(name string) (suffix string, exception bool) {
	for rest, ok := name, true; ok; {
		_, parent, more := strings.Cut(rest, ".")
		if r.exception[rest] {
			return parent, true
		}
		if suffix == "" && (r.plain[rest] || more && r.wildcard[parent]) {
			suffix = rest // the first match is the longest
		}
		rest, ok = parent, more
	}
	return suffix, false
}
