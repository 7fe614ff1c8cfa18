package security

import (
	_ "embed"
	"strings"
	"sync"
)

// overlay has the rules of a newer Public Suffix List that the list inside
// golang.org/x/net/publicsuffix lacks, in the syntax of the list, with
// A-labels. The tests generate it: see its first lines.
//
//go:embed psl/overlay.dat
var overlay string

var newerRules = sync.OnceValue(func() suffixRules { return parseRules(overlay) })

// suffixRules are rules of the Public Suffix List
// (https://github.com/publicsuffix/list/wiki/Format), without its default "*".
type suffixRules struct {
	plain, wildcard, exception map[string]bool
}

func parseRules(list string) suffixRules {
	rules := suffixRules{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "//") {
			continue
		}
		rule := fields[0]
		if name, ok := strings.CutPrefix(rule, "*."); ok {
			rules.wildcard[name] = true
		} else if name, ok := strings.CutPrefix(rule, "!"); ok {
			rules.exception[name] = true
		} else {
			rules.plain[rule] = true
		}
	}
	return rules
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
