package adp

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// endpoint resolves where a call goes, and reports why it cannot be told. The
// variables of an endpoint that only lacks a base are returned all the same.
func (r reader) endpoint(root parse.Node, subject parse.Subject) (target, bool) {
	ref := r.String(root, "endpoint", parse.Must, "§5")
	n := root.Get("endpoint")
	if n.Kind() != parse.String {
		return target{}, false
	}
	ref = r.notation(n, ref, root.Get("parameters"))
	b := baseOf(subject)
	t, why := b.endpoint(ref)
	switch {
	case why != "":
		r.fault("endpoint", n, "§5", "the endpoint cannot be used: %s", why)
		return target{}, false
	case t.url == "" && t.template == "":
		r.note("endpoint_relative", n, "§5", "the endpoint is relative to a base_url that this document does not name")
		return t, false
	}
	r.checkEndpoint(n, ref, &t)
	return t, true
}

// checkEndpoint reports what is odd about an endpoint that can be used.
func (r reader) checkEndpoint(n parse.Node, ref string, t *target) {
	u, why := absolute(ref)
	switch {
	case why == "" && u.Scheme != "https":
		r.doubt("endpoint_scheme", n, "§5", "the endpoint does not start with https://")
	case why == "" && privateHost(u) != "":
		r.doubt("endpoint_host", n, "§5", "the endpoint is doubtful: %s", privateHost(u))
	case climbs(ref):
		r.doubt("dot_segments", n, "§5", "the endpoint %q leads upwards", ref)
	case why != "" && !strings.HasPrefix(ref, "/") && !strings.Contains(ref, "://"):
		r.doubt("endpoint_slash", n, "§5", "the endpoint %q is neither a full URL nor a path that begins with a slash", ref)
	}
	if slices.ContainsFunc(t.parts, func(p part) bool { return p.names != nil && !p.plain }) {
		r.doubt("endpoint_template", n, "§5", "the endpoint %q has variables that are more than a name", ref)
	}
}

// notation rewrites the variables of an endpoint to {name}: those of braces,
// and segments like ":id" when a parameter has that name.
func (r reader) notation(n parse.Node, ref string, parameters parse.Node) string {
	rewritten := braces(ref)
	segments := strings.Split(rewritten, "/")
	for i, s := range segments {
		if variable, ok := strings.CutPrefix(s, ":"); ok && hasParameter(parameters, variable) {
			segments[i] = "{" + variable + "}"
		}
	}
	rewritten = strings.Join(segments, "/")
	if rewritten != ref {
		r.doubt("endpoint_notation", n, "§5", "the variables of endpoint %q were read as %q", ref, rewritten)
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

// baseOf finds the base_url that the subject's manifest gave: the interface
// that has a source in common with the capability, else the first of HTTP.
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
