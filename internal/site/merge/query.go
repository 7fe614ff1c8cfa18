package merge

import (
	"regexp"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// Some documents write the parameters of the query into the template, others into the list of
// parameters. So a call without query parameters is the same as the call with some and the same
// path, unless there are several such calls.

// sameCalls returns a function that returns the names of the calls of a Site. A name does not
// contain the variables of a query, unless two calls differ only in them.
func (m *merger) sameCalls(sources []source, calls *caller) func(*wayfind.Service, *wayfind.Capability) string {
	queries, several := map[string]string{}, map[string]bool{}
	for i := range sources {
		own := map[string]string{}
		for j := range sources[i].services {
			s := &sources[i].services[j]
			m.work.Add(len(s.Capabilities))
			for k := range s.Capabilities {
				call := calls.callOf(s, &s.Capabilities[k])
				base := baseOf(call)
				if before, known := own[base]; known && before != call {
					several[base] = true
				}
				own[base] = call
				if before := queries[base]; call != base && before != "" && before != call {
					several[base] = true
				} else if call != base {
					queries[base] = call
				}
			}
		}
	}
	return func(s *wayfind.Service, c *wayfind.Capability) string {
		call := calls.callOf(s, c)
		if base := baseOf(call); !several[base] {
			return base
		}
		return call
	}
}

// queryExpression matches an expression of RFC 6570 that adds to the query (§3.2.8, §3.2.9).
// pairOfVariable matches a part of a query whose value is only a variable.
var (
	queryExpression = regexp.MustCompile(`\{[?&][^{}]*\}`)
	pairOfVariable  = regexp.MustCompile(`^[^=]*=\{[^{}]*\}$`)
)

// baseOf returns the name of a call without the variables of its query.
func baseOf(call string) string {
	if !strings.Contains(call, "{") {
		return call
	}
	call = queryExpression.ReplaceAllLiteralString(call, "")
	before, rest, ok := strings.Cut(call, "?")
	if !ok || strings.Count(before, "{") != strings.Count(before, "}") {
		return call
	}
	query, operation, _ := strings.Cut(rest, " ") // in the form of callOf
	var kept []string
	for pair := range strings.SplitSeq(query, "&") {
		if !pairOfVariable.MatchString(pair) {
			kept = append(kept, pair)
		}
	}
	if kept != nil {
		before += "?" + strings.Join(kept, "&")
	}
	return before + " " + operation
}
