package security

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/wayfindhq/wayfind/internal/text"
)

// overlay has the rules of a newer Public Suffix List that the list inside
// golang.org/x/net/publicsuffix lacks, in the syntax of the list, with
// A-labels. The tests generate it: see its first lines.
//
//go:embed psl/overlay.dat
var overlay string

// platforms has the rules of platforms that no list has.
//
//go:embed psl/platforms.dat
var platforms string

var newerRules = sync.OnceValue(func() suffixRules {
	rules, _ := readRules(overlay+"\n"+platforms, func(rule string) (string, error) { return rule, nil })
	return rules
})

// suffixRules are rules of the Public Suffix List
// (https://github.com/publicsuffix/list/wiki/Format), without its default "*".
type suffixRules struct {
	plain, wildcard, exception map[string]bool
}

// readRules reads a list line by line, up to the first blank of each. form
// brings a rule into the form of canonical hosts, or returns its fault; the
// error is the first of these.
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

// match returns the public suffix of a canonical name, "" when no rule
// matches, and whether an exception made it: those prevail over all others.
func (r suffixRules) match(name string) (suffix string, exception bool) {
	for rest, ok := name, true; ok; {
		_, parent, more := strings.Cut(rest, ".")
		if r.exception[rest] {
			return parent, true
		}
		if suffix == "" && (r.plain[rest] || more && r.wildcard[parent]) {
			suffix = rest // the longest, and so the first
		}
		rest, ok = parent, more
	}
	return suffix, false
}
