package msagents

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// reader reads one document.
type reader struct {
	*parse.Reader
	at      place
	dialect string
	// single is set if the document is about one agent.
	single bool
	// tools is the number of tools that may still be read.
	tools int
}

func newReader(in *parse.Input) *reader {
	return &reader{Reader: parse.NewReader(&parse.Format{Name: name, Spec: spec()}), at: placeOf(in), tools: parse.DefaultItems - 1}
}

// parseList reads a list of any dialect. The list is unusable if no agent is left.
func parseList(in *parse.Input) (*parse.Reading, error) {
	root, err := in.JSON()
	if err != nil {
		return nil, err
	}
	if root.Kind() != parse.Object && root.Kind() != parse.Array {
		return nil, parse.Invalid("the document is %v where a list of agents belongs", root.Kind())
	}
	r := newReader(in)
	if at, words, ok := problem(in, root); ok {
		return r.broken(at, words), nil
	}
	r.MediaType(in, root, secErrors, "application/json")
	if r.at.route == routeCard && root.Kind() == parse.Object && !root.Has("agents", "entities") {
		return r.card(root), nil
	}
	list := r.list(root)
	reading := &parse.Reading{Dialect: r.dialect}
	if r.dialect == "" && r.at.route == routeList {
		reading.Version = "v1"
	}
	reading.Services = r.services(list)
	reading.Links = r.partial(in, root, list.Len())
	for i := range reading.Services {
		reading.Links = append(reading.Links, detailLinks(&reading.Services[i])...)
	}
	if len(reading.Services) == 0 {
		reading.Unusable = "it lists no usable agent"
	}
	reading.Diagnostics = r.Diagnostics()
	return reading, nil
}

// card reads the metadata of one agent at the place of its card.
func (r *reader) card(root parse.Node) *parse.Reading {
	r.dialect, r.single = dialectCard, true
	reading := &parse.Reading{Dialect: dialectCard}
	if id, at := r.id(root); id != "" {
		reading.Services = []wayfind.Service{r.agent(root, id, at)}
	} else {
		reading.Unusable = "it names no agent"
	}
	reading.Diagnostics = r.Diagnostics()
	return reading
}

// list returns the list in a document and sets the dialect.
func (r *reader) list(root parse.Node) parse.Node {
	if root.Kind() == parse.Array {
		if r.at.route == routeList {
			r.Report(ruleBareArray, root, "the list stands alone where it belongs under \"agents\"")
			return root
		}
		r.dialect = dialectWebChat
		return root
	}
	member, section := "agents", secList
	if !root.Get("agents").Exists() && root.Get("entities").Exists() {
		r.dialect, member, section = dialectDevUI, "entities", secEntity
	}
	for _, n := range r.UnknownMembers(root, append(pageMembers(), member)...) {
		r.Report(ruleUnknownMember.At(section), n, "a member beside the list is not known and not read")
	}
	return r.Array(root, member, parse.Must, section)
}

// section returns the section of the specification about entries.
func (r *reader) section() string {
	switch r.dialect {
	case dialectDevUI:
		return secEntity
	case dialectWebChat:
		return secCard
	}
	return secModel
}

// services reads the entries of a list. An entry that has the wrong type or no name is
// reported and dropped; beyond the limit no entry is read.
func (r *reader) services(list parse.Node) []wayfind.Service {
	if list.Kind() == parse.Array && list.Len() == 0 {
		r.Report(ruleEmpty, list, "there are no agents, or no public ones")
	}
	r.checkPlace(list)
	n := list.Len()
	if limit := parse.DefaultItems; n > limit {
		r.Report(ruleTruncated.Beyond("agents", n, limit), list, "of %d agents the first %d were read", n, limit)
		n = limit
	}
	r.tools = parse.DefaultItems - n
	var services []wayfind.Service
	first := make(map[string]parse.Node, n)
	for i := range n {
		entry := list.Index(i)
		if entry.Kind() != parse.Object {
			r.Report(ruleWrongType.At(r.section()).AsWarning(), entry, "an entry is %v where an agent belongs; it is ignored", entry.Kind())
			continue
		}
		id, at := r.id(entry)
		if id == "" {
			continue
		}
		if before, twice := first[id]; twice {
			r.Report(ruleDuplicateName.At(r.section()), at, "the name is that of %s", before.Pointer())
		} else {
			first[id] = entry
		}
		services = append(services, r.agent(entry, id, at))
	}
	return services
}

// checkPlace reports the consequences of the list's place for the whole list.
func (r *reader) checkPlace(list parse.Node) {
	switch {
	case r.at.base == "":
		r.Report(ruleOriginUnknown, list, "the site that served the document is unknown: its agents have no interface")
	case r.dialect == "" && r.at.route == routeWebChat:
		r.Report(ruleUnversionedPath, list, "the list is served at %s where it belongs at %s: "+
			"no specification says how to reach its agents there", PathWebChat, Path)
	}
}

// detailLinks returns the links to the document about an agent.
func detailLinks(s *wayfind.Service) []parse.Link {
	agent := &s.Capabilities[0]
	if agent.DetailURLs == nil {
		return nil
	}
	return []parse.Link{{
		URLs: slices.Clone(agent.DetailURLs), Role: parse.DialectDetail, Format: name, Subject: agent.ID, Lazy: true,
	}}
}
