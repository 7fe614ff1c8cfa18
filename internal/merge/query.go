package merge

import (
	"regexp"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// One document writes the parameters of the query into the template, another
// into the list of parameters. So a call without any is the same as the call
// with some behind the same path, unless there are several such calls.

// sameCalls returns the names that tell calls of a Site apart: without the
// variables of their queries, where no two calls differ in these.
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

// queryExpression is an expression of RFC 6570 that adds to the query (§3.2.8,
// §3.2.9), pairOfVariable a part of a query whose value is nothing but a variable.
var (
	queryExpression = regexp.MustCompile(`\{[?&][^{}]*\}`)
	pairOfVariable  = regexp.MustCompile(`^[^=]*=\{[^{}]*\}$`)
)

// baseOf is the name of a call without the variables of its query.
func baseOf(call string) string {
	if !strings.Contains(call, "{") {
		return call
	}
	call = queryExpression.ReplaceAllLiteralString(call, "")
	before, rest, ok := strings.Cut(call, "?")
	if !ok || strings.Count(before, "{") != strings.Count(before, "}") {
		return call
	}
	query, operation, _ := strings.Cut(rest, " ") // as callOf writes it
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
