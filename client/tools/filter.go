package tools

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Filter matches capabilities. It is data, which can be stored as JSON. Every member that is
// set must match; a list matches if one of its entries matches.
type Filter struct {
	// Tags are tags that the document gives the capability, in upper or lower case.
	Tags []string `json:"tags,omitempty"`
	// Paths are paths of the HTTP request, as the document writes them ("/orders/{id}", with
	// any name in the braces), or with the path of the server as a prefix. In a pattern "*"
	// matches any text within a segment, and a final "/" matches everything below, as in
	// "/admin/".
	Paths []string `json:"paths,omitempty"`
	// Methods are HTTP methods: "GET".
	Methods []string `json:"methods,omitempty"`
	// ReadOnly matches the tools for which [Tool.ReadOnly] is true.
	ReadOnly bool `json:"readOnly,omitempty"`
}

var (
	errFiltered = errors.New("a filter leaves it out")
	errKeep     = errors.New("the function Keep leaves it out")
	errNoFilter = errors.New("a filter without a member matches everything")
)

// offering contains the data of a capability that filters use.
type offering struct {
	tags     []string
	method   string
	paths    []string
	readOnly bool
}

func offerOf(service *wayfind.Service, c *wayfind.Capability) *offering {
	o := &offering{tags: c.Tags, readOnly: (&Tool{Capability: c}).ReadOnly()}
	if c.Invocation != nil {
		o.method, o.paths = c.Invocation.Method, pathsOf(service, c.Invocation)
	}
	return o
}

// pathsOf returns the path of a request, and the part of it below the URL of a server.
func pathsOf(service *wayfind.Service, v *wayfind.Invocation) (paths []string) {
	address, _, _ := strings.Cut(v.URL+v.Template, "?") // one of them is empty
	_, rest, absolute := strings.Cut(address, "://")
	slash := strings.IndexByte(rest, '/')
	if !absolute || slash < 0 {
		return nil
	}
	paths = append(paths, shapeOf(rest[slash:]))
	if service == nil {
		return paths
	}
	for i := range service.Interfaces {
		f := &service.Interfaces[i]
		server := strings.TrimSuffix(f.URL+f.Template, "/")
		if below, ok := strings.CutPrefix(address, server); ok && server != "" && strings.HasPrefix(below, "/") {
			paths = append(paths, shapeOf(below))
		}
	}
	return paths
}

// variables matches the variables of a path, whose names have no meaning.
var variables = regexp.MustCompile(`\{[^{}]*\}`)

// shapeOf returns a path without the names of its variables.
func shapeOf(s string) string { return variables.ReplaceAllLiteralString(s, "{}") }

// term is one entry of a Filter.
type term struct {
	text  string // for people: "tag orders"
	holds func(*offering) bool
	met   atomic.Bool // by a capability
}

// terms are the entries of one member of a Filter.
type terms []*term

// add adds an entry for each text.
func (t *terms) add(what string, texts []string, holds func(o *offering, text string) bool) {
	for _, text := range texts {
		*t = append(*t, &term{text: what + " " + text, holds: func(o *offering) bool { return holds(o, text) }})
	}
}

// filter is a compiled Filter, which records whether a capability has matched it.
type filter struct {
	members []terms
	met     atomic.Bool
}

func newFilter(given *Filter) (*filter, error) {
	var tags, paths, methods, reads terms
	tags.add("tag", given.Tags, func(o *offering, text string) bool {
		return slices.ContainsFunc(o.tags, func(tag string) bool { return strings.EqualFold(tag, text) })
	})
	methods.add("method", given.Methods, func(o *offering, text string) bool { return strings.EqualFold(o.method, text) })
	for _, pattern := range given.Paths {
		if _, err := path.Match(pattern, ""); err != nil || !strings.HasPrefix(pattern, "/") {
			return nil, fmt.Errorf("%+q is no pattern of a path, such as /orders/*", text.Head(pattern, 200))
		}
	}
	paths.add("path", given.Paths, func(o *offering, text string) bool {
		return slices.ContainsFunc(o.paths, func(p string) bool { return within(p, shapeOf(text)) })
	})
	if given.ReadOnly {
		reads.add("read", []string{"only"}, func(o *offering, _ string) bool { return o.readOnly })
	}
	f := &filter{}
	for _, member := range []terms{tags, paths, methods, reads} {
		if member != nil {
			f.members = append(f.members, member)
		}
	}
	if f.members == nil {
		return nil, errNoFilter
	}
	return f, nil
}

// within reports whether a pattern matches a path.
func within(p, pattern string) bool {
	if strings.HasSuffix(pattern, "/") {
		n := strings.Count(pattern, "/")
		segments := strings.SplitAfterN(p, "/", n+1)
		if len(segments) <= n {
			return false
		}
		p = strings.Join(segments[:n], "")
	}
	ok, err := path.Match(pattern, p)
	return ok && err == nil
}

// matches reports whether a Filter matches a capability.
func (f *filter) matches(o *offering) bool {
	all := true
	for _, member := range f.members {
		one := false
		for _, t := range member {
			if t.holds(o) {
				t.met.Store(true)
				one = true
			}
		}
		all = all && one
	}
	if all {
		f.met.Store(true)
	}
	return all
}

// text returns the entries of a Filter for people.
func (f *filter) text() string {
	var list []string
	for _, member := range f.members {
		for _, t := range member {
			list = append(list, t.text)
		}
	}
	return strings.Join(list, ", ")
}

// unmet returns the entries that no capability has matched. If all entries have matched but the
// whole Filter has not, it returns the Filter.
func (f *filter) unmet() (keys []string) {
	for _, member := range f.members {
		for _, t := range member {
			if !t.met.Load() {
				keys = append(keys, t.text)
			}
		}
	}
	if keys == nil && !f.met.Load() {
		keys = []string{f.text()}
	}
	return keys
}

// sieve contains the conditions by which Options exclude capabilities from a Box.
type sieve struct {
	keep         func(*wayfind.Service, *wayfind.Capability) bool
	only, except []*filter
}

func newSieve(opts *Options) (*sieve, error) {
	s := &sieve{keep: opts.Keep}
	for _, list := range []struct {
		name  string
		given []Filter
		to    *[]*filter
	}{{"Only", opts.Only, &s.only}, {"Except", opts.Except, &s.except}} {
		for i := range list.given {
			f, err := newFilter(&list.given[i])
			if err != nil {
				return nil, fmt.Errorf("tools: Options.%s[%d]: %w", list.name, i, err)
			}
			*list.to = append(*list.to, f)
		}
	}
	return s, nil
}

// all returns the filters of both kinds.
func (s *sieve) all() []*filter { return slices.Concat(s.only, s.except) }

// refuses returns the reason why a capability does not become a tool, or nil if it may. Keep is
// called first.
func (s *sieve) refuses(service *wayfind.Service, c *wayfind.Capability) error {
	if s.keep != nil && !s.keep(service, c) {
		return errKeep
	}
	if undecided(c) {
		return nil
	}
	return s.filters(service, c)
}

// undecided reports whether filters must wait for the definition of a capability, which
// contains its method and path.
func undecided(c *wayfind.Capability) bool { return c.Lazy && c.Invocation == nil }

// filters returns the reason why the filters exclude a capability. Every filter is applied, to
// record whether it matches anything.
func (s *sieve) filters(service *wayfind.Service, c *wayfind.Capability) error {
	if len(s.only)+len(s.except) == 0 {
		return nil
	}
	o := offerOf(service, c)
	kept, left := len(s.only) == 0, false
	for _, f := range s.only {
		kept = f.matches(o) || kept
	}
	for _, f := range s.except {
		left = f.matches(o) || left
	}
	if !kept || left {
		return errFiltered
	}
	return nil
}
