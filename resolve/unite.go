package resolve

import (
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// The same thing may be described by several sources. It is recognised by
// where it is, never by what it is called: an interface by protocol and URL, a
// capability by method and URL template, or by interface and operation.

// source is a reading on its way into the Site, with its services.
type source struct {
	Reading
	services []wayfind.Service
}

// foreign: a redirect led to another site, or the document says that it is
// about one. What it says joins nothing that the origin says.
func (s *source) foreign() bool { return s.Source.Trust == wayfind.TrustCrossSite }

// weak sources may tighten what better ones say, and not add to it.
func (s *source) weak() bool {
	return s.Source.Authority.Rank() > wayfind.AuthorityCatalog.Rank()
}

// entry is a capability with the service it hangs in and its source.
type entry struct {
	source     *source
	service    *wayfind.Service
	capability *wayfind.Capability
}

// unite merges what sources, best first, have in common.
func (m *merger) unite(sources []source) {
	m.uniteInterfaces(sources)
	for _, group := range groups(sources, callOf) {
		m.uniteCapabilities(group)
	}
	for i := range sources {
		for j := range sources[i].services {
			s := &sources[i].services[j]
			s.Capabilities = slices.DeleteFunc(s.Capabilities, func(c wayfind.Capability) bool {
				return m.aliased[c.Key]
			})
		}
	}
	relate(sources)
}

// groups collects the capabilities of several sources that have the same
// identity. An identity that one source has several times (many operations
// behind one endpoint) tells nothing apart there, so it joins nothing.
func groups(sources []source, identity func(*wayfind.Service, *wayfind.Capability) string) [][]entry {
	byID := map[string][]entry{}
	var order []string
	for i := range sources {
		if sources[i].foreign() {
			continue
		}
		for j := range sources[i].services {
			s := &sources[i].services[j]
			for k := range s.Capabilities {
				id := identity(s, &s.Capabilities[k])
				if id == "" {
					continue
				}
				if byID[id] == nil {
					order = append(order, id)
				}
				byID[id] = append(byID[id], entry{&sources[i], s, &s.Capabilities[k]})
			}
		}
	}
	var found [][]entry
	for _, id := range order {
		if group := byID[id]; len(group) > 1 && onceEach(group) {
			found = append(found, group)
		}
	}
	return found
}

// onceEach reports whether no source is there twice. Entries of one source
// stand side by side.
func onceEach(group []entry) bool {
	for i := range group[1:] {
		if group[i].source == group[i+1].source {
			return false
		}
	}
	return true
}

// callOf names the call of a capability: method and URL with the names of
// variables erased, or the interface and the operation on it. "" without a
// contract.
func callOf(s *wayfind.Service, c *wayfind.Capability) string {
	inv := c.Invocation
	switch {
	case inv == nil:
		return ""
	case inv.URL != "" || inv.Template != "":
		return inv.Protocol + " " + strings.ToUpper(inv.Method) + " " + normalURL(inv.URL+inv.Template) + " " + inv.Operation
	case inv.Operation != "":
		for i := range s.Interfaces {
			if f := &s.Interfaces[i]; f.Protocol == inv.Protocol && f.URL+f.Template != "" {
				return interfaceID(f) + " " + inv.Operation
			}
		}
	}
	return ""
}

// interfaceID is what tells interfaces apart.
func interfaceID(f *wayfind.Interface) string {
	return f.Protocol + " " + normalURL(f.URL+f.Template)
}

// normalURL makes equal what leads to the same place: case of the host, default
// port, fragment, a slash at the end, names of variables.
func normalURL(text string) string {
	text = eraseVariables(text)
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return text
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if host, ok := strings.CutSuffix(u.Host, ":443"); ok && u.Scheme == "https" {
		u.Host = host
	}
	u.Fragment, u.RawFragment = "", ""
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/")
	u.Path, _ = url.PathUnescape(u.RawPath)
	return u.String()
}

// eraseVariables turns "{name}" into "0variable", which is no one's path and
// parses as a URL.
func eraseVariables(template string) string {
	var b strings.Builder
	for {
		before, after, open := strings.Cut(template, "{")
		b.WriteString(before)
		_, rest, closed := strings.Cut(after, "}")
		if !open || !closed {
			if open {
				b.WriteString("%7B" + after)
			}
			return b.String()
		}
		b.WriteString("0variable")
		template = rest
	}
}

// uniteInterfaces gives interfaces that are the same one value, in every
// service that declares them: sources of all, and the strictest auth.
func (m *merger) uniteInterfaces(sources []source) {
	first := map[string]*wayfind.Interface{}
	owner := map[string]*wayfind.Service{}
	var all []*wayfind.Interface
	for i := range sources {
		for j := range sources[i].services {
			s := &sources[i].services[j]
			s.Interfaces = slices.Clone(s.Interfaces)
			for k := range s.Interfaces {
				f := &s.Interfaces[k]
				id := interfaceID(f)
				switch {
				case f.URL+f.Template == "" || sources[i].foreign():
					continue
				case first[id] == nil:
					first[id], owner[id] = f, s
				default:
					m.joinInterface(first[id], owner[id], f, s, !sources[i].weak())
				}
				all = append(all, f)
			}
		}
	}
	for _, f := range all {
		*f = *first[interfaceID(f)]
	}
}

// joinInterface adds what a second reading says about an interface. adds: it
// may add ways to authenticate.
func (m *merger) joinInterface(kept *wayfind.Interface, keptOwner *wayfind.Service, f *wayfind.Interface, s *wayfind.Service, adds bool) {
	auth, conflict := mergeAuth(authOf(kept.Auth, keptOwner), authOf(f.Auth, s), adds)
	if conflict != "" {
		m.conflict(interfaceID(f), "auth", conflict, kept.Sources, f.Sources)
	}
	if kept.Auth != nil || f.Auth != nil || conflict != "" {
		kept.Auth = auth
	}
	kept.Sources = joinRefs(kept.Sources, f.Sources)
	if kept.Transport == "" || slices.Contains(kept.Defaulted, "transport") && f.Transport != "" {
		kept.Transport = f.Transport
	}
	kept.Versions = joinStrings(kept.Versions, f.Versions)
	kept.RequiredHeaders = joinStrings(kept.RequiredHeaders, f.RequiredHeaders)
	if len(kept.Variables) == 0 {
		kept.Variables = f.Variables
	}
	if kept.SpecURL == "" {
		kept.SpecURL = f.SpecURL
	}
}

// authOf is the auth that counts: one's own, else the service's.
func authOf(own *wayfind.Auth, s *wayfind.Service) *wayfind.Auth {
	if own != nil {
		return own
	}
	return s.Auth
}

// joinRefs adds the references of b that a does not have.
func joinRefs(a, b []wayfind.Ref) []wayfind.Ref {
	a = slices.Clone(a)
	for _, r := range b {
		if !slices.Contains(a, r) {
			a = append(a, r)
		}
	}
	return a
}

// joinStrings adds the strings of b that a does not have.
func joinStrings(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	a = slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// relate marks capabilities that may be the same although nothing proves it: a
// summary whose contract is elsewhere, with the id of another of the origin.
func relate(sources []source) {
	byID := func(_ *wayfind.Service, c *wayfind.Capability) string { return c.ID }
	for _, group := range groups(sources, byID) {
		for _, a := range group {
			for _, b := range group {
				if a.source != b.source && (a.capability.Lazy || b.capability.Lazy) {
					a.capability.Related = append(a.capability.Related, b.capability.Key)
				}
			}
			slices.Sort(a.capability.Related)
		}
	}
}
