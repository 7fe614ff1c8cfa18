package adp

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/parse"
)

// endpoint resolves the URL of a call, or reports the reason why it is unknown. It
// also returns an endpoint that only lacks a base, for its variables.
func (r reader) endpoint(root parse.Node, subject parse.Subject) (parse.Endpoint, bool) {
	ref := r.String(root, "endpoint", parse.Must, "§5")
	n := root.Get("endpoint")
	if n.Kind() != parse.String {
		return parse.Endpoint{}, false
	}
	ref = r.notation(n, ref, root.Get("parameters"))
	b := baseOf(subject)
	t, err := b.endpoint(ref)
	switch {
	case err != nil:
		r.Report(ruleEndpoint, n, "the endpoint cannot be used: %s", err)
		return parse.Endpoint{}, false
	case !t.Resolved():
		r.Report(ruleEndpointRelative, n, "the endpoint is relative to a base_url that this document does not name")
		return t, false
	}
	odd := t
	if odd.HostVaries {
		// Publishers write a variable host if each account has a host of its own, as
		// in base_url. The template shows this, so there is no doubt to report.
		odd.Form = parse.FormPath
	}
	r.CheckEndpoint(n, odd, "§5")
	return t, true
}

// notation rewrites the variables of an endpoint to {name}: the notations of
// paramspec.Braces, and segments such as ":id" if a parameter has that name.
func (r reader) notation(n parse.Node, ref string, parameters parse.Node) string {
	rewritten := paramspec.Colons(paramspec.Braces(ref), func(name string) bool { return hasParameter(parameters, name) })
	if rewritten != ref {
		r.Report(ruleEndpointNotation, n, "the variables of endpoint %q were read as %q", ref, rewritten)
	}
	return rewritten
}

func hasParameter(parameters parse.Node, variable string) bool {
	for _, p := range parameters.Items() {
		if name, ok := p.Get("name").Str(); ok && name == variable {
			return true
		}
	}
	return false
}

// baseOf returns the base_url of the subject's manifest. It is the HTTP interface that
// has a source in common with the capability, or else the first HTTP interface.
func baseOf(subject parse.Subject) base {
	if subject.Service == nil {
		return base{}
	}
	var found *wayfind.Interface
	for i := range subject.Service.Interfaces {
		f := &subject.Service.Interfaces[i]
		if f.Protocol != "http" || f.URL == "" && f.Template == "" {
			continue
		}
		if subject.Capability != nil && sameSource(f.Sources, subject.Capability.Sources) {
			found = f
			break
		}
		if found == nil {
			found = f
		}
	}
	if found == nil {
		return base{}
	}
	b, _ := newBase(found.URL + found.Template)
	return b
}

func sameSource(a, b []wayfind.Ref) bool {
	return slices.ContainsFunc(a, func(x wayfind.Ref) bool {
		return slices.ContainsFunc(b, func(y wayfind.Ref) bool { return x.Source == y.Source })
	})
}
