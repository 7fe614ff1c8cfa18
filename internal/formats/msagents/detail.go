package msagents

import (
	"maps"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// parseDetail reads a document about one agent: the entry of the list, and facts that a server
// states only here. The facts are in the capability as well as in the service, because the
// request was about the capability.
func parseDetail(in *parse.Input, subject parse.Subject) (*parse.Reading, error) {
	root, err := in.JSONObject()
	if err != nil {
		return nil, err
	}
	r := newReader(in)
	r.single = true
	if at, words, ok := problem(in, root); ok {
		return r.broken(at, words), nil
	}
	r.MediaType(in, root, secErrors, "application/json")
	if r.at.route == routeInfo || r.at.route != routeDetail && isEntity(root) {
		r.dialect = dialectDevUI
	}
	reading := &parse.Reading{Dialect: parse.DialectDetail}
	id, at := r.identity(root, subject)
	if id == "" {
		reading.Unusable = "it is about no agent"
	} else {
		s := r.agent(root, id, at)
		c := &s.Capabilities[0]
		c.Extensions = maps.Clone(s.Extensions)
		if tools := root.Get("tools"); tools.Len() > 0 {
			parse.SetExtension(&c.Extensions, "tools", tools)
		}
		reading.Services = []wayfind.Service{s}
	}
	reading.Diagnostics = r.Diagnostics()
	return reading, nil
}

// identity returns the identifier of the agent: the one in its list, if that is known. Servers
// compare names without regard to case.
func (r *reader) identity(root parse.Node, subject parse.Subject) (id string, at parse.Node) {
	if root.Get("agents").Exists() || root.Get("entities").Exists() {
		r.Report(ruleDetailList, root, "a list was served where the document about one agent belongs")
		return "", root
	}
	id, at = r.id(root)
	if id == "" || subject.Capability == nil || subject.Capability.ID == "" {
		return id, at
	}
	asked := subject.Capability.ID
	if !strings.EqualFold(id, asked) {
		r.Report(ruleDetailName.At(r.section()), at, "the document about %.100q is about %.100q", asked, id)
	}
	return asked, at
}
