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

// entry is a capability on its way into the Site, with the service it hangs in
// and the rank of its source (0 is best).
type entry struct {
	service    *wayfind.Service
	capability *wayfind.Capability
	rank       int
}

// unite merges what the readings have in common. services[i] are those of the
// reading with rank i.
func (m *merger) unite(services [][]wayfind.Service) {
	m.uniteInterfaces(services)
	entries := m.identify(services)
	for _, group := range entries {
		m.uniteCapabilities(group)
	}
	for _, list := range services {
		for i := range list {
			s := &list[i]
			s.Capabilities = slices.DeleteFunc(s.Capabilities, func(c wayfind.Capability) bool {
				return m.aliased[c.Key]
			})
		}
	}
	m.relate(services)
}

// identify groups capabilities that are the same call. A call that one source
// has several times (many operations behind one endpoint) tells nothing apart
// there, so it joins nothing.
func (m *merger) identify(services [][]wayfind.Service) [][]entry {
	groups := map[string][]entry{}
	var order []string
	for rank, list := range services {
		for i := range list {
			for j := range list[i].Capabilities {
				c := &list[i].Capabilities[j]
				id := callOf(&list[i], c)
				if id == "" {
					continue
				}
				if groups[id] == nil {
					order = append(order, id)
				}
				groups[id] = append(groups[id], entry{&list[i], c, rank})
			}
		}
	}
	var found [][]entry
	for _, id := range order {
		group := groups[id]
		seen := map[int]bool{}
		twice := false
		for _, e := range group {
			twice = twice || seen[e.rank]
			seen[e.rank] = true
		}
		if len(group) > 1 && !twice {
			found = append(found, group)
		}
	}
	return found
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
func (m *merger) uniteInterfaces(services [][]wayfind.Service) {
	first := map[string]*wayfind.Interface{}
	owner := map[string]*wayfind.Service{}
	var all []*wayfind.Interface
	for _, list := range services {
		for i := range list {
			s := &list[i]
			s.Interfaces = slices.Clone(s.Interfaces)
			for j := range s.Interfaces {
				f := &s.Interfaces[j]
				if f.URL+f.Template == "" {
					continue
				}
				all = append(all, f)
				id := interfaceID(f)
				kept := first[id]
				if kept == nil {
					first[id], owner[id] = f, s
					continue
				}
				m.joinInterface(kept, owner[id], f, s)
			}
		}
	}
	for _, f := range all {
		*f = *first[interfaceID(f)]
	}
}

// joinInterface adds what a second reading says about an interface.
func (m *merger) joinInterface(kept *wayfind.Interface, keptOwner *wayfind.Service, f *wayfind.Interface, s *wayfind.Service) {
	auth, conflict := mergeAuth(authOf(kept.Auth, keptOwner), authOf(f.Auth, s))
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
func (m *merger) relate(services [][]wayfind.Service) {
	byID := map[string][]entry{}
	for rank, list := range services {
		for i := range list {
			for j := range list[i].Capabilities {
				c := &list[i].Capabilities[j]
				byID[c.ID] = append(byID[c.ID], entry{&list[i], c, rank})
			}
		}
	}
	for _, group := range byID {
		for _, a := range group {
			for _, b := range group {
				if a.rank != b.rank && a.capability.ID != "" && (a.capability.Lazy || b.capability.Lazy) {
					a.capability.Related = append(a.capability.Related, b.capability.Key)
				}
			}
			slices.Sort(a.capability.Related)
		}
	}
}
