package resolve

import (
	"fmt"
	"slices"

	"github.com/wayfindhq/wayfind"
)

// Supplement completes a capability with an alternative reading of the same
// call, once that was described in full: what goes in is taken as a whole, with
// the names of the variables, where the capability does not say it. What the
// alternative demands is demanded as well. conflict is where the two disagree about
// what goes in, "" where they do not.
func Supplement(service *wayfind.Service, kept, alternative *wayfind.Capability) (conflict string) {
	newAuths(nil).joinCaution(kept, service, alternative, &wayfind.Service{}, true)
	suspicious := bothClasses(kept.Suspicious, alternative.Suspicious)
	defer func() { kept.Suspicious = suspicious }()
	if kept.Invocation == nil || alternative.Invocation == nil {
		return ""
	}
	has, gives := HasInput(kept), HasInput(alternative)
	if !has && gives && kept.Invocation.Template != alternative.Invocation.Template {
		own := *kept.Invocation
		own.URL, own.Template = alternative.Invocation.URL, alternative.Invocation.Template
		kept.Invocation = &own
	}
	fill(kept, alternative)
	if kept.Invocation.ContentType == "" && alternative.Invocation.ContentType != "" {
		own := *kept.Invocation
		own.ContentType = alternative.Invocation.ContentType
		kept.Invocation = &own
	}
	if has && gives && !sameInput(kept, alternative) {
		return fmt.Sprintf("%s and %s say different things; the word of %s is kept", kept.Key, alternative.Key, kept.Key)
	}
	return ""
}

// Supplements reports whether a source of that authority may add to what better
// ones say. Others only make it stricter.
func Supplements(a wayfind.Authority) bool { return a.Rank() <= wayfind.AuthorityCatalog.Rank() }

// HasInput reports whether a capability says what goes into a call.
func HasInput(c *wayfind.Capability) bool { return len(c.Params) > 0 || c.Input != nil }

// sameInput reports whether two readings agree on what must go in, and on the
// types of what both name. Lists of optional parameters may be of any length.
func sameInput(a, b *wayfind.Capability) bool {
	if len(a.Params) == 0 || len(b.Params) == 0 {
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

// required are the names of the parameters that must be given, in order.
func required(params []wayfind.Param) (names []string) {
	for _, p := range params {
		if p.Required != nil && *p.Required {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return names
}
