package openrpc

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// parseDetail reads the document again, for one method. Its diagnostics are about that method.
func parseDetail(in *parse.Input, subject parse.Subject) (*parse.Reading, error) {
	r, err := newReader(in, false)
	if err != nil {
		return nil, err
	}
	version := r.version()
	service := r.service()
	m, err := find(in, subject.Capability)
	if err != nil {
		return nil, err
	}
	r.Reader = newReporter()
	c := r.brief(m)
	r.fill(m, &c)
	if subject.Capability != nil && c.Invocation == nil {
		c.Invocation = subject.Capability.Invocation // the invocation at an endpoint
	}
	return &parse.Reading{
		Dialect: parse.DialectDetail,
		Version: version,
		Services: []wayfind.Service{{
			Name: service.Name, Version: service.Version, Capabilities: []wayfind.Capability{c}, Sources: parse.SourcesAt(r.Root),
		}},
		Diagnostics: r.Diagnostics(),
	}, nil
}

// methodsKey is the key of the methods of a document by their names.
type methodsKey struct{}

// find returns the method for a capability: the method with its name, or, if two have that
// name, the one at the place that the capability was read from.
func find(in *parse.Input, c *wayfind.Capability) (method, error) {
	byName := in.Derived(methodsKey{}, func() any {
		byName := map[string][]method{}
		if r, err := newReader(in, false); err == nil { // a separate reader: the reading of the whole document has the diagnostics
			for _, m := range r.methods() {
				byName[m.name] = append(byName[m.name], m)
			}
		}
		return byName
	}).(map[string][]method)
	var found []method
	if c != nil {
		found = byName[c.ID]
	} else {
		for _, list := range byName {
			found = append(found, list...)
		}
	}
	switch {
	case len(found) == 0 && c != nil:
		return method{}, parse.Invalid("the document has no method %q", c.ID)
	case len(found) == 0:
		return method{}, parse.Invalid("the document has no method")
	case len(found) > 1 && c == nil:
		return method{}, parse.Invalid("the document has %d methods, and nothing says which is meant", len(found))
	}
	for _, m := range found[1:] {
		for _, source := range c.Sources {
			if source.Pointer != "" && source.Pointer == m.node.Pointer() {
				return m, nil
			}
		}
	}
	return found[0], nil
}

// rest returns the members of an object except the known ones, which are kept elsewhere.
// Variants of them in another case are reported elsewhere.
func (r *reader) rest(obj parse.Node, known ...string) []rawjson.Member {
	var list []rawjson.Member
	for name, value := range obj.Members() {
		if r.full() || slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) {
			continue
		}
		kept := r.small(value)
		if list = append(list, rawjson.Member{Name: name, Value: kept}); kept == nil {
			r.Report(ruleLeftOut, value, "the value of %d bytes is too long or too deep, or has a reference; it is left out", len(value.Raw()))
		}
	}
	return list
}
