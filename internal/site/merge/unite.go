package merge

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/reading"
)

// Several sources may describe the same thing. It is recognised by its place, never by its name: an
// interface by protocol and URL, and a capability by method and URL template, or by interface and
// operation.

// source is a reading that is added to the Site, with its services.
type source struct {
	reading.Located
	services []wayfind.Service
	prefix   string // of its keys; unique in the Site
	// authFrom is the URL of a document that also describes the authentication.
	authFrom string
}

// foreign reports whether a redirect led to another site, or the document is about another site by
// its own content. Such a source is not joined with statements of the origin.
func (s *source) foreign() bool { return s.Source.Trust == wayfind.TrustCrossSite }

// weak reports whether a source may only tighten the statements of better sources, and not add to
// them.
func (s *source) weak() bool {
	return s.Source.Authority.Rank() > wayfind.AuthorityCatalog.Rank()
}

// entry is a capability with its service and its source.
type entry struct {
	source     *source
	service    *wayfind.Service
	capability *wayfind.Capability
}

// unite merges the things that several sources describe. The best source comes first.
func (m *merger) unite(sources []source) {
	m.govern(sources)
	m.uniteInterfaces(sources)
	calls := newCaller(m.work)
	for _, group := range m.groups(sources, m.sameCalls(sources, calls)) {
		m.uniteCapabilities(group)
	}
	for i := range sources {
		for j := range sources[i].services {
			s := &sources[i].services[j]
			m.work.Add(len(s.Capabilities))
			s.Capabilities = slices.DeleteFunc(s.Capabilities, func(c wayfind.Capability) bool {
				return m.aliased[c.Key]
			})
		}
	}
	m.relate(sources)
}

// govern merges the authentication of a document with the authentication of the description it
// links to. A statement about one operation takes precedence over a statement about the whole site.
func (m *merger) govern(sources []source) {
	for i := range sources {
		from := slices.IndexFunc(sources, func(s source) bool { return sources[i].authFrom != "" && s.Source.URL == sources[i].authFrom })
		if from < 0 || len(sources[from].services) == 0 || sources[i].foreign() {
			continue
		}
		word, refs := sources[from].services[0].Auth, sources[from].services[0].Sources
		for j := range sources[i].services {
			s := &sources[i].services[j]
			m.governAuth(s.ID, &s.Auth, word, s.Sources, refs)
			s.Sources = joinRefs(m.work, s.Sources, refs)
			for k := range s.Capabilities {
				c := &s.Capabilities[k]
				switch {
				case c.Auth == nil: // the authentication of the service applies
				case silent(c.Auth):
					m.governAuth(c.Key, &c.Auth, word, c.Sources, refs)
					c.Sources = joinRefs(m.work, c.Sources, refs)
				case word != nil && !silent(word) && open(c.Auth) != open(word):
					m.conflict(c.Key, "auth", "the document that links here says something else of the whole site; the statement on the operation is kept", c.Sources, refs)
				}
			}
		}
	}
}

func (m *merger) governAuth(subject string, auth **wayfind.Auth, word *wayfind.Auth, refs ...[]wayfind.Ref) {
	merged, conflict := m.auths.merge(word, *auth, true)
	if conflict != "" {
		m.conflict(subject, "auth", conflict, refs...)
	}
	m.give(auth, merged)
}

// groups returns the capabilities of several sources that have the same identity. If one source has
// an identity several times (many operations behind one endpoint), the identity does not
// distinguish them, and these are not grouped.
func (m *merger) groups(sources []source, identity func(*wayfind.Service, *wayfind.Capability) string) [][]entry {
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
				m.work.Text(len(id))
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
		m.work.Add(len(byID[id]))
		if group := onceEach(byID[id]); len(group) > 1 {
			found = append(found, group)
		}
	}
	return found
}

// onceEach returns the entries whose source occurs only once.
func onceEach(group []entry) []entry {
	times := map[*source]int{}
	for _, e := range group {
		times[e.source]++
	}
	return slices.DeleteFunc(slices.Clone(group), func(e entry) bool { return times[e.source] > 1 })
}

// caller returns names of calls.
type caller struct {
	work *fuel.Counter
	// only contains the interface of each service by protocol; "" if there are several.
	only map[*wayfind.Service]map[string]string
}

func newCaller(w *fuel.Counter) *caller {
	return &caller{work: w, only: map[*wayfind.Service]map[string]string{}}
}

// callOf returns the name of the call of a capability: method and URL with the names of variables
// erased, or the interface and the operation on it. It returns "" if there is no contract.
func (l *caller) callOf(s *wayfind.Service, c *wayfind.Capability) string {
	inv := c.Invocation
	switch {
	case inv == nil && c.Artifact != nil: // the file takes the place of the call
		l.work.Text(len(c.Artifact.URL))
		return "file " + normalURL(c.Artifact.URL)
	case inv == nil:
		return ""
	case inv.URL != "" || inv.Template != "":
		l.work.Text(len(inv.URL) + len(inv.Template))
		return inv.Protocol + " " + strings.ToUpper(inv.Method) + " " + normalURL(inv.URL+inv.Template) + " " + inv.Operation
	case inv.Operation != "":
		if id := l.onlyInterface(s, inv.Protocol); id != "" {
			return id + " " + inv.Operation
		}
	}
	return ""
}

// onlyInterface returns the ID of the interface of a protocol, or "" if there are several.
func (l *caller) onlyInterface(s *wayfind.Service, protocol string) string {
	only := l.only[s]
	if only == nil {
		only = map[string]string{}
		for i := range s.Interfaces {
			f := &s.Interfaces[i]
			l.work.Text(len(f.URL) + len(f.Template))
			if f.URL+f.Template == "" {
				continue
			}
			if _, several := only[f.Protocol]; several {
				only[f.Protocol] = ""
				continue
			}
			only[f.Protocol] = interfaceID(f)
		}
		l.only[s] = only
	}
	return only[protocol]
}

// interfaceID returns a text that distinguishes interfaces.
func interfaceID(f *wayfind.Interface) string {
	id := f.Protocol + " " + normalURL(f.URL+f.Template)
	if f.Tenant != "" {
		id += " " + f.Tenant
	}
	return id
}

// normalURL returns one spelling for URLs of the same place. It normalizes the case of scheme and
// host, the default port, the fragment, a slash at the end, and the names of plain variables.
func normalURL(text string) string {
	text, _, _ = strings.Cut(text, "#")
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return eraseVariables(text)
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "/?{"); i >= 0 {
		end = i
	}
	scheme = strings.ToLower(scheme)
	host := strings.ToLower(rest[:end])
	if scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	}
	path, query, hasQuery := strings.Cut(rest[end:], "?")
	if hasQuery && strings.Count(path, "{") != strings.Count(path, "}") {
		path, query, hasQuery = rest[end:], "", false // the mark is part of an expression: {?q}
	}
	path = strings.TrimRight(eraseVariables(path), "/")
	if hasQuery {
		path += "?" + query
	}
	return scheme + "://" + host + path
}

// plainVariable matches an expression of RFC 6570 level 1: {name}. An operator or a modifier
// changes the expansion.
var plainVariable = regexp.MustCompile(`\{[A-Za-z0-9_.%-]+\}`)

// eraseVariables replaces "{name}" by "{}", which no real path contains.
func eraseVariables(template string) string {
	return plainVariable.ReplaceAllLiteralString(template, "{}")
}

// declared is an interface with the place of its declaration.
type declared struct {
	source  int
	service *wayfind.Service
	*wayfind.Interface
}

// uniteInterfaces makes the declarations of one interface by several sources agree: each copy gets
// the references of the other sources, and the strictest authentication.
func (m *merger) uniteInterfaces(sources []source) {
	byID := map[string][]declared{}
	var order []string
	for i := range sources {
		for j := range sources[i].services {
			s := &sources[i].services[j]
			s.Interfaces = slices.Clone(s.Interfaces)
			for k := range s.Interfaces {
				f := &s.Interfaces[k]
				if f.URL+f.Template == "" || sources[i].foreign() {
					continue
				}
				id := interfaceID(f)
				m.work.Text(len(id))
				if byID[id] == nil {
					order = append(order, id)
				}
				byID[id] = append(byID[id], declared{i, s, f})
			}
		}
	}
	for _, id := range order {
		m.joinInterfaces(sources, byID[id])
	}
}

// agree reports whether two declarations of one URL are the same.
func (m *merger) agree(a, b *wayfind.Interface) bool {
	m.work.Add(1 + min(len(a.Versions), len(b.Versions)) + min(len(a.RequiredHeaders), len(b.RequiredHeaders)))
	return a.Transport == b.Transport && slices.Equal(a.Versions, b.Versions) && slices.Equal(a.RequiredHeaders, b.RequiredHeaders)
}

// joinInterfaces merges one declaration of each source, and applies the result to all of them.
func (m *merger) joinInterfaces(sources []source, copies []declared) {
	var one []declared // of each source
	for _, d := range copies {
		switch {
		case len(one) == 0 || one[len(one)-1].source != d.source:
			one = append(one, d)
		case !m.agree(one[len(one)-1].Interface, d.Interface):
			return // one URL for several bindings: it is unknown which one is meant
		}
	}
	if len(one) < 2 {
		return
	}
	united := *one[0].Interface
	auth := authOf(united.Auth, one[0].service)
	for _, d := range one[1:] {
		var conflict string
		if auth, conflict = m.auths.merge(auth, authOf(d.Auth, d.service), !sources[d.source].weak()); conflict != "" {
			m.conflict(interfaceID(&united), "auth", conflict, united.Sources, d.Sources)
		}
		if united.Transport == "" || slices.Contains(united.Defaulted, "transport") && d.Transport != "" {
			united.Transport = d.Transport
		}
		united.Versions = m.joinFew(united.Versions, d.Versions)
		united.RequiredHeaders = m.joinFew(united.RequiredHeaders, d.RequiredHeaders)
		united.SpecURL = cmp.Or(united.SpecURL, d.SpecURL)
	}
	refs, governing := make([][]wayfind.Ref, len(one)), make([][]wayfind.Ref, len(one))
	for i, d := range one { // before any copy gets more
		governing[i] = governors(d.Auth, d.service)
		refs[i] = joinRefs(m.work, d.Sources, governing[i])
	}
	same := map[*wayfind.Auth]bool{}
	for _, d := range copies {
		d.Transport, d.Versions, d.RequiredHeaders, d.SpecURL = united.Transport, united.Versions, united.RequiredHeaders, united.SpecURL
		own := authOf(d.Auth, d.service)
		if _, known := same[own]; !known {
			same[own] = sameAuth(m.work, own, auth)
		}
		if !same[own] {
			m.give(&d.Auth, auth)
		}
		for i, other := range one {
			if other.source != d.source {
				d.Sources = joinRefs(m.work, d.Sources, refs[i])
			} else {
				d.Sources = joinRefs(m.work, d.Sources, governing[i])
			}
		}
	}
}

// authOf returns the auth that applies: own, or else the service's.
func authOf(own *wayfind.Auth, s *wayfind.Service) *wayfind.Auth {
	if own != nil {
		return own
	}
	return s.Auth
}

// governors returns the other documents that contribute to the auth of a capability: a difference
// may come from them.
func governors(own *wayfind.Auth, s *wayfind.Service) []wayfind.Ref {
	if own != nil || s.Auth == nil || len(s.Sources) < 2 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.Sources), func(r wayfind.Ref) bool { return r.Source == s.Sources[0].Source })
}
