package merge

import (
	"fmt"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
)

// Supplement completes a capability of a service with an alternative reading of the same call,
// after that reading was described in full. If the capability states no inputs, they are copied as
// a whole, with the names of the variables. Demands are joined as in Merge. Supplement returns the
// disagreements between the two.
func Supplement(w *fuel.Counter, service *wayfind.Service, kept *wayfind.Capability, otherService *wayfind.Service, other *wayfind.Capability) (conflicts []wayfind.Conflict) {
	note := func(field, message string) {
		conflicts = append(conflicts, wayfind.Conflict{Subject: kept.Key, Field: field, Message: message, Sources: joinRefs(w, kept.Sources, other.Sources)})
	}
	if conflict, _ := newAuths(w).joinCaution(kept, service, other, otherService, true); conflict != "" {
		note("auth", conflict)
	}
	kept.Suspicious = bothClasses(kept.Suspicious, other.Suspicious)
	if kept.Invocation == nil || other.Invocation == nil {
		return conflicts
	}
	has, gives := HasInput(kept), HasInput(other)
	if has && gives && !sameInput(w, kept, other) {
		note("input", fmt.Sprintf("%s and %s say different things; the statement of %s is kept", kept.Key, other.Key, kept.Key))
	}
	call := *kept.Invocation
	if !has && gives {
		call.URL, call.Template = other.Invocation.URL, other.Invocation.Template
	}
	if call.ContentType == "" {
		call.ContentType, call.ContentTypes, call.Encodings = other.Invocation.ContentType, other.Invocation.ContentTypes, other.Invocation.Encodings
		call.BodyRequired = other.Invocation.BodyRequired
	}
	kept.Invocation = &call
	fill(kept, other)
	kept.Sources = joinRefs(w, kept.Sources, other.Sources)
	return conflicts
}

// Supplements reports whether a source with that authority may add to the statements of better
// sources. Other sources can only make them stricter.
func Supplements(a wayfind.Authority) bool { return a.Rank() <= wayfind.AuthorityCatalog.Rank() }

// HasInput reports whether a capability states the inputs of a call.
func HasInput(c *wayfind.Capability) bool { return len(c.Params) > 0 || c.Input != nil }

// sameInput reports whether two readings agree on the required inputs, and on the types of inputs
// that both contain. Lists of optional parameters may have any length.
func sameInput(w *fuel.Counter, a, b *wayfind.Capability) bool {
	w.Add(len(a.Params) + len(b.Params))
	if len(a.Params) == 0 || len(b.Params) == 0 {
		w.Text(len(a.Input) + len(b.Input))
		return a.Input == nil || b.Input == nil || compact(a.Input) == compact(b.Input)
	}
	if !slices.Equal(required(a.Params), required(b.Params)) {
		return false
	}
	types := make(map[string]string, len(a.Params))
	for _, p := range a.Params {
		types[p.Name] = p.Type
	}
	return !slices.ContainsFunc(b.Params, func(p wayfind.Param) bool {
		return p.Type != "" && types[p.Name] != "" && p.Type != types[p.Name]
	})
}

// required returns the names of the required parameters, sorted.
func required(params []wayfind.Param) (names []string) {
	for _, p := range params {
		if p.Required != nil && *p.Required {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return names
}
